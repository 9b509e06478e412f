"""A small web on this machine: an engine that finds what a test says, and the sites that it finds."""

from pathlib import Path
from typing import Any

from loopback import Hit, Hits, SearchServer, WebServer
from spyglass.kernel.settings import Settings

FILLER = "Nothing in this paragraph has to do with what anybody asked, and it goes on for a good while to no end. " * 4


def settings_of(tmp_path: Path, server: SearchServer, *engines: str) -> Settings:
    """Return the settings of somebody with these engines, no model, and words only for reranking."""
    given: dict[str, Any] = server.settings(*(engines or ("searxng",)))
    return Settings(
        data_dir=tmp_path / "data",
        network__allow_private=["127.0.0.0/8"],
        rerank__method="lexical",
        fetch__attempts=1,
        cache__page_hours=0,
        **given,
    )


def finds(server: SearchServer, *urls: str) -> None:
    """Let every query find these, the first one best."""
    hits = tuple(Hit(url, f"Title of {url}", f"A snippet of {url}.", 0.95 - 0.02 * n) for n, url in enumerate(urls))
    server.script(Hits(hits))


def put(server: WebServer, host: str, path: str, *sentences: str) -> str:
    """Serve an article that says these sentences, among others, and return its address."""
    server.put_article(path, f"A page on {host}", FILLER, *sentences, FILLER, host=host)
    return server.url(path, host)
