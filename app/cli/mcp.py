"""`ninefold mcp`: a person's memory for other programs, on stdin and stdout."""

from __future__ import annotations

from .options import DEFAULT_USER, AgentFile, Lang, User, agent_settings, wording

HELP = "Give a person's memories to other programs: an MCP server on stdin and stdout."


def mcp(user: User = DEFAULT_USER, agent: AgentFile = None, lang: Lang = None) -> None:
    """Serve one person's memories over the Model Context Protocol until stdin ends."""
    from ..memory_server.server import serve

    settings = agent_settings(agent, None)
    serve(settings, user, wording(lang, settings).language)
