"""The message loop: a Router wraps one agent, the Server dispatches messages among them."""

from .router import Router
from .server import Server

__all__ = ["Router", "Server"]
