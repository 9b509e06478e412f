"""Guarded connections."""

from .client import Client, Response, client_of
from .guard import Guard

__all__ = ["Client", "Guard", "Response", "client_of"]
