"""Web search: engines, the chain of them, expansion, credibility."""
