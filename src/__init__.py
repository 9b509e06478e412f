"""Spyglass: ask a question of the web and of your own files; get a report in which every sentence can be checked."""

from typing import TYPE_CHECKING

from . import silence as silence
from .generate_report import generate_report, research

if TYPE_CHECKING:
    from .evidence.support import support, support_all
    from .factory import Factory
    from .pool import Pool
    from .report import Report
    from .run import Run
    from .settings import Settings
    from .tools.crawl_site import crawl_site
    from .tools.web_research import web_research
    from .tools.web_search import stream_web_search, web_search

__all__ = [
    "Factory",
    "Pool",
    "Report",
    "Run",
    "Settings",
    "crawl_site",
    "generate_report",
    "research",
    "stream_web_search",
    "support",
    "support_all",
    "web_research",
    "web_search",
]

_HOMES = {
    "Factory": "factory",
    "Pool": "pool",
    "Report": "report",
    "Run": "run",
    "Settings": "settings",
    "crawl_site": "tools.crawl_site",
    "stream_web_search": "tools.web_search",
    "support": "evidence.support",
    "support_all": "evidence.support",
    "web_research": "tools.web_research",
    "web_search": "tools.web_search",
}


def __getattr__(name: str) -> object:
    """Import the heavier names when they are first used: `import spyglass` stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
