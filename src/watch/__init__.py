"""Watches: questions researched again on a schedule, with notifications of what changed in their sources."""

from .changes import Quoted, ValueChange
from .checking import Checked, check_watch, keep_watch
from .notify import text_of, words_of
from .watch_store import Watch, WatchStore

__all__ = [
    "Checked",
    "Quoted",
    "ValueChange",
    "Watch",
    "WatchStore",
    "check_watch",
    "keep_watch",
    "text_of",
    "words_of",
]
