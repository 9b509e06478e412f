"""The formats of OpenAI: any client or chat front end that speaks them asks Spyglass as it asks a model."""

from .endpoints import OpenAIEndpoints

__all__ = ["OpenAIEndpoints"]
