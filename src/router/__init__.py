"""The message loop: each Router wraps one agent, and the Server dispatches messages between the routers."""

from .agents_run import kept_report, run_of
from .router import Router, gathers
from .server import Server

__all__ = ["Router", "Server", "gathers", "kept_report", "run_of"]
