"""The MCP server: an assistant starts research, reads reports, checks a text, and searches the user's files."""
