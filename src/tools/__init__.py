"""Research tools that are used as functions."""
