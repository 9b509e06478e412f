"""The MCP server, `server_of`: an assistant starts research, reads reports, checks texts, searches the user's files."""

from .server import server_of

__all__ = ["server_of"]
