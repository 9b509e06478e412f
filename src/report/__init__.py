"""The report: sources with short labels, an outline, sections with citations, and their rendering."""

from .report import Report

__all__ = ["Report"]
