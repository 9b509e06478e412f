"""Endpoints compatible with OpenAI's API, by which its clients and chat front ends use Spyglass like a model."""

from .endpoints import OpenAIEndpoints

__all__ = ["OpenAIEndpoints"]
