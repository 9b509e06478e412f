"""Retrieval over local files: reading them into an index, and finding their passages by words and by meaning."""
