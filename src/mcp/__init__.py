"""The MCP server (`server_of`), whose tools let an assistant research, read reports, check texts and search files."""

from .server import server_of

__all__ = ["server_of"]
