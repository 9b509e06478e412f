"""Runs that were made: what is kept of them, where they are, and how to go on with one."""

from .account import Account
from .branch import branched, taken_over
from .kept import kept, recalled, refused, unlike
from .run_store import RunStore
from .start import RunStart, found, keep_beginning, opened, require_recorded, settings_of
from .stored import StoredRun

__all__ = [
    "Account",
    "RunStart",
    "RunStore",
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
