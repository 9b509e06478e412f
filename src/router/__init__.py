"""The message loop: a Router wraps one agent, the Server dispatches messages among them."""

from .agents_run import kept_report, run_of
from .router import Router, gathers
from .server import Server

__all__ = ["Router", "Server", "gathers", "kept_report", "run_of"]
