"""The settings: common ones at the top level, others in tables by subject; entry points read them once."""

from .marks import PREFIX, Seconds
from .settings import Effort, Settings, layered
from .sources import nested, read_config
from .tables import Bounds, Length, Policy, Rerank, Role, SafeSearch, TimeRange, is_secret, settings_in
from .trust import SettingsWarning

__all__ = [
    "PREFIX",
    "Bounds",
    "Effort",
    "Length",
    "Policy",
    "Rerank",
    "Role",
    "SafeSearch",
    "Seconds",
    "Settings",
    "SettingsWarning",
    "TimeRange",
    "is_secret",
    "layered",
    "nested",
    "read_config",
    "settings_in",
]
