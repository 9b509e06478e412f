"""Runs on a Ray cluster. Nothing of it is imported without `ray`, the address of one.

The commands and the service import what joins it by its module: `connection`, `ingest`, `ingest_rows`, `workers`.
"""

from .connection import research_many

__all__ = ["research_many"]
