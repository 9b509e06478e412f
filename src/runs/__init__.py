"""Stored runs: each has a journal that records its inputs and answers, and can be listed, resumed and replayed.

Other packages also import the modules `branch`, `detached`, `event_log`, `forecast`, `manager`, `plan_edit`,
`recorded_settings`, `shared_store`, `start`, the states of a run in `stored`, `timeline`, and `words`, which describes
a run's progress.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .account import Account
    from .manager import RunManager
    from .run_store import RunStore
    from .start import RunStart
    from .stored import StoredRun

__all__ = ["Account", "RunManager", "RunStart", "RunStore", "StoredRun"]

__getattr__ = lazy_exports(
    __name__, account="Account", manager="RunManager", run_store="RunStore", start="RunStart", stored="StoredRun"
)
