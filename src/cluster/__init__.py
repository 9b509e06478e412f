"""Runs on a Ray cluster. Nothing of it is imported without `ray`, the address of one."""

from .many import research_many

__all__ = ["research_many"]
