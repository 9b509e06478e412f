"""Runs that were made: what is kept of them, where they are, and how to go on with one."""

from .account import Account
from .beginning import Beginning, found, keep_beginning, require_recorded, settings_of
from .branch import branched, taken_over
from .kept import kept, recalled, refused, unlike
from .opened import opened
from .shelf import RunShelf
from .stored import StoredRun

__all__ = [
    "Account",
    "Beginning",
    "RunShelf",
    "StoredRun",
    "branched",
    "found",
    "keep_beginning",
    "kept",
    "opened",
    "recalled",
    "refused",
    "require_recorded",
    "settings_of",
    "taken_over",
    "unlike",
]
