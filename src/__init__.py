"""Spyglass: ask a question of the web and of your own files; get a report in which every sentence can be checked."""

from typing import TYPE_CHECKING

from .generate_report import generate_report, replay, research
from .kernel import telemetry as telemetry
from .kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .evidence.evidence import support, support_all
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
    factory="Factory",
    report="Report",
    evidence__evidence="support support_all",
    kernel__pool="Pool",
    kernel__run="Run",
    kernel__settings="Settings",
    kernel__source="Source",
    tools__crawl_site="crawl_site",
    tools__web_research="web_research",
    tools__web_search="stream_web_search web_search",
)
