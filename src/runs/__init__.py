"""Runs that were made: what is kept of them, where they are, and how to go on with one.

Others also import the modules `detached`, `forecast`, `manager`, `plan_edit`, `shared_store`, `start`, the states of
a run in `stored`, `timeline`, and `words`, which say what a run is doing.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .account import Account
    from .branch import branched, taken_over
    from .detached import Makers, Processes
    from .event_log import EventLog, LoggedEvent
    from .forecast import Forecast, forecast
    from .kept import kept, recalled, refused, unlike
    from .manager import RunManager
    from .plan_edit import EditedTask, PlanEdit, plan_edit
    from .run_store import RunStore
    from .start import RunStart, found, opened, require_recorded, settings_of
    from .stored import StoredRun
    from .timeline import Timeline

__all__ = [
    "Account",
    "EditedTask",
    "EventLog",
    "Forecast",
    "LoggedEvent",
    "Makers",
    "PlanEdit",
    "Processes",
    "RunManager",
    "RunStart",
    "RunStore",
    "StoredRun",
    "Timeline",
    "branched",
    "forecast",
    "found",
    "kept",
    "opened",
    "plan_edit",
    "recalled",
    "refused",
    "require_recorded",
    "settings_of",
    "taken_over",
    "unlike",
]

__getattr__ = lazy_exports(
    __name__,
    account="Account",
    branch="branched taken_over",
    detached="Makers Processes",
    event_log="EventLog LoggedEvent",
    forecast="Forecast forecast",
    kept="kept recalled refused unlike",
    manager="RunManager",
    plan_edit="EditedTask PlanEdit plan_edit",
    run_store="RunStore",
    start="RunStart found opened require_recorded settings_of",
    stored="StoredRun",
    timeline="Timeline",
)
