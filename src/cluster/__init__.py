"""Runs and ingests on a Ray cluster. Imported only if the address of a cluster is given.

The commands and the service import the modules `connection`, `ingest`, `ingest_rows` and `workers` directly.
"""

from .connection import research_many

__all__ = ["research_many"]
