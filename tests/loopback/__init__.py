"""A model server on this machine that speaks three wire formats and does what a test tells it to."""

from .models import KEY, ModelAt, model_at, provider
from .server import Asked, Fault, ModelServer, Say, model_server

__all__ = ["KEY", "Asked", "Fault", "ModelAt", "ModelServer", "Say", "model_at", "model_server", "provider"]
