"""Spyglass: ask a question of the web and of your own files; get a report in which every sentence can be checked."""

from typing import TYPE_CHECKING

from .generate_report import generate_report, replay, research
from .kernel import telemetry as telemetry
from .kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .evidence.support import support, support_all
    from .factory import Factory
    from .kernel.pool import Pool
    from .kernel.run import Run
    from .kernel.settings import Settings
    from .kernel.source import Source
    from .report import Report
    from .tools.crawl_site import crawl_site
    from .tools.web_research import web_research
    from .tools.web_search import stream_web_search, web_search

__all__ = [
    "Factory",
    "Pool",
    "Report",
    "Run",
    "Settings",
    "Source",
    "__version__",
    "crawl_site",
    "generate_report",
    "replay",
    "research",
    "stream_web_search",
    "support",
    "support_all",
    "web_research",
    "web_search",
]

__version__ = "0.1.0"

__getattr__ = lazy_exports(
    __name__,
    {
        "Factory": "factory",
        "Pool": "kernel.pool",
        "Report": "report",
        "Run": "kernel.run",
        "Settings": "kernel.settings",
        "Source": "kernel.source",
        "crawl_site": "tools.crawl_site",
        "stream_web_search": "tools.web_search",
        "support": "evidence.support",
        "support_all": "evidence.support",
        "web_research": "tools.web_research",
        "web_search": "tools.web_search",
    },
)
