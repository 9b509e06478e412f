"""The report as a page: its parts as HTML, and how they look."""
