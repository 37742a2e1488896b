"""The long-term memory for other programs: an MCP server over stdin and stdout, for one person."""
