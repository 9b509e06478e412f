"""Questions that are asked again on a schedule, and tell what has changed in what the answers rest on."""

from .changes import Quoted, ValueChange
from .checking import Checked, check_watch
from .watch_store import Watch, WatchStore

__all__ = ["Checked", "Quoted", "ValueChange", "Watch", "WatchStore", "check_watch"]
