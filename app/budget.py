"""Whether an agent's fixed layer leaves room for anything else, told when the agent is built."""

from __future__ import annotations

from langchain_core.messages import SystemMessage

from ninefold.adapters.tokens import for_model
from ninefold.graph.parts import Parts
from ninefold.state import Language, SettingsError


def check_budget(parts: Parts) -> None:
    """Refuse settings under which a turn can never fit; models whose tokens are not known exactly are not judged.

    Raises:
        SettingsError: the fixed layer is over `fixed_tokens`, or with constraints and reply over num_ctx.
    """
    settings = parts.settings
    tokens = for_model(settings.model.provider, settings.model.model_name)
    if not tokens.exact:
        return
    languages = (settings.language,) if settings.language else tuple(Language)
    fixed = max(tokens.prompt([SystemMessage(parts.fixed(each))], parts.chat.tools) for each in languages)
    policy = settings.context_policy
    if fixed > policy.fixed_tokens:
        raise SettingsError(
            f"The system prompt and the tools take {fixed} tokens; fixed_tokens allows {policy.fixed_tokens}.",
            "Shorten the system prompt, name fewer tools, or raise context_policy.fixed_tokens.",
        )
    least = fixed + policy.constraint_tokens + settings.model.num_predict
    if least > settings.model.num_ctx:
        raise SettingsError(
            f"System prompt and tools ({fixed} tokens), constraints ({policy.constraint_tokens}) and reply"
            f" ({settings.model.num_predict}) never fit into num_ctx {settings.model.num_ctx}.",
            "Raise num_ctx, lower num_predict, or name fewer tools.",
        )
