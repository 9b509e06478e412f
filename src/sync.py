"""The package's functions without `await`: they block their caller, and also work inside a running event loop."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from . import generate_report as _generate_report
from .generate_report import replay as _replay
from .generate_report import research as _research
from .kernel.thread import in_own_loop
from .tools import crawl_site as _crawl_site
from .tools import web_research as _web_research
from .tools import web_search as _web_search

__all__ = ["crawl_site", "generate_report", "replay", "research", "web_research", "web_search"]

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    @functools.wraps(function)
    def blocking(*args: P.args, **kwargs: P.kwargs) -> T:
        return in_own_loop(lambda: function(*args, **kwargs))

    return blocking


generate_report = _blocking(_generate_report)
research = _blocking(_research)
replay = _blocking(_replay)
web_search = _blocking(_web_search)
web_research = _blocking(_web_research)
crawl_site = _blocking(_crawl_site)
