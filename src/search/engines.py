"""The registry of search engines, and the chain of engines of a run."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from ..kernel.cache import Cache, cache_of
from ..kernel.errors import SearchKeyError, SettingsError
from ..kernel.registry import Registry
from ..kernel.run import Run
from ..kernel.settings import Settings
from .arxiv import ArXiv
from .brave import Brave
from .cached import Cached
from .keyless import BY_DEFAULT, KEYLESS
from .mcp_tool import tool_of
from .openalex import OpenAlex
from .provider import SearchEngine
from .pubmed import PubMed
from .searxng import SearXNG
from .serpapi import SerpApi
from .tavily import Tavily

ENGINES: Registry[SearchEngine] = Registry(
    "search engine",
    SearchEngine,
    "spyglass.engines",
    {kind.name: kind for kind in (ArXiv, Brave, OpenAlex, PubMed, SearXNG, SerpApi, Tavily, *KEYLESS)},
)
"""Every engine; a distribution adds its own as an entry point of the group `spyglass.engines`."""

KEYED: Final = ("tavily", "brave", "serpapi")  # the order of the engines that need a key


def chain_of(settings: Settings) -> list[SearchEngine]:
    """Return the engines in the order in which they are asked.

    They are those that the settings name; else MCP servers, engines with a key, and SearXNG if it has an address; else
    those that need no key. An engine without its key or its address is left out. Raises UnknownNameError, and
    SettingsError for the address of an unknown engine.
    """
    _check_addresses(settings)
    if settings.search.engines is None:
        return _usable([*settings.search.mcp, *KEYED, "searxng"], settings) or _usable(BY_DEFAULT, settings)
    return _usable(_named(settings), settings)


def require_named(settings: Settings) -> None:
    """Raise SettingsError for the first engine that the settings name and that has no key or no address."""
    for name in _named(settings):
        engine = _engine(name, settings)
        if not engine.usable:
            raise SettingsError(
                f"The search engine {name} has no {'key' if engine.base else 'address'}",
                where="search.engines",
                remedy=f"Set {engine.key_setting or f'{name}_url'}, or remove the engine from the list.",
            )


def _named(settings: Settings) -> list[str]:
    """Return the engines that the settings name, each once, without the cache, which always comes last."""
    named = dict.fromkeys(name.strip().lower() for name in settings.search.engines or ())
    return [name for name in named if name != Cached.name]


def _check_addresses(settings: Settings) -> None:
    known = ENGINES.names() if settings.search.engine_urls else []
    for name in settings.search.engine_urls:
        if name not in known:
            what = f'There is no search engine "{name}"'
            raise SettingsError(what, where="search.engine_urls", remedy=f"Known search engines: {', '.join(known)}.")


def _engine(name: str, settings: Settings) -> SearchEngine:
    return tool_of(name, settings) if name in settings.search.mcp else ENGINES.get(name)(settings)


def _usable(names: Sequence[str], settings: Settings) -> list[SearchEngine]:
    engines = [_engine(name, settings) for name in names]
    return [engine for engine in engines if engine.usable]


class Chains:
    """The engine chains of one run, one per settings, and the refused keys of engines by account.

    The last engine of every chain is the cache.
    """

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.refused_keys: dict[str, SearchKeyError] = {}
        self._chains: list[tuple[Settings, list[SearchEngine]]] = []

    def of(self, settings: Settings) -> list[SearchEngine]:
        """Return the chain for these settings. Raises UnknownNameError and SettingsError."""
        for known, chain in self._chains:
            if known is settings or known == settings:
                return chain
        self._chains.append((settings, [*chain_of(settings), Cached(settings, self.cache)]))
        return self._chains[-1][1]

    async def aclose(self) -> None:
        """Close the engines."""
        for _, chain in self._chains:
            for engine in chain:
                await engine.close()


async def chains_of(run: Run) -> Chains:
    """Return the chains of a run."""
    cache = await cache_of(run)
    return await run.client("search engines", lambda: aclosing(Chains(cache)))
