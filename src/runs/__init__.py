"""Runs that were made: what is kept of them, where they are, and how to go on with one."""

from .account import Account
from .beginning import Beginning, found, keep_beginning, require_recorded
from .branch import branched
from .kept import kept, recalled, unlike
from .shelf import Shelf
from .stored import StoredRun

__all__ = [
    "Account",
    "Beginning",
    "Shelf",
    "StoredRun",
    "branched",
    "found",
    "keep_beginning",
    "kept",
    "recalled",
    "require_recorded",
    "unlike",
]
