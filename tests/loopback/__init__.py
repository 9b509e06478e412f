"""Servers on this machine that do what a test tells them to: models in three wire formats, and a small web."""

from .fault import Fault
from .models import KEY, ModelAt, model_at, provider
from .prose import PROSE, article
from .search import CHALLENGE, Hit, Hits, SearchServer, search_server
from .secrets import ARN, SecretServer, secret_server
from .server import ModelServer, PromptRequest, Say, model_server
from .small import OUTLINES, PLANS, SECTIONS, SmolLM2
from .web import Reply, Visit, WebServer, web_server

# Each property test has all the time that it needs: a busy machine fails none of them.

__all__ = [
    "ARN",
    "CHALLENGE",
    "KEY",
    "OUTLINES",
    "PLANS",
    "PROSE",
    "SECTIONS",
    "Fault",
    "Hit",
    "Hits",
    "ModelAt",
    "ModelServer",
    "PromptRequest",
    "Reply",
    "Say",
    "SearchServer",
    "SecretServer",
    "SmolLM2",
    "Visit",
    "WebServer",
    "article",
    "model_at",
    "model_server",
    "provider",
    "search_server",
    "secret_server",
    "web_server",
]
