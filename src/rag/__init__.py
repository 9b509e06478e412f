"""Retrieval over local files: `ingest.ingest` reads them into an index, and `retrieve.retrieve` finds their passages.

They are found by words and by meaning; the index lies in files (`local_*`) or in PostgreSQL (`shared_*`).
"""
