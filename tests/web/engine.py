"""A SearXNG on the loopback web, which answers what a test says."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from loopback import Reply, Visit, WebServer
from spyglass.kernel.settings import Settings

Answer = Sequence[str] | Reply


def searching(server: WebServer, folder: Path, **more: Any) -> Settings:
    """Return settings that search on the server only, once, and keep no page for later runs."""
    own = {
        "data_dir": folder / "data",
        "web": True,
        "searxng_url": server.url(),
        "network.allow_private": ["127.0.0.0/8"],
    }
    return Settings.model_validate({**own, "search.attempts": 1, "cache.page_hours": 0, **more})


def put_engine(
    server: WebServer, answer: Callable[[str], Answer], second: Callable[[str], Answer] = lambda _: []
) -> None:
    """Serve `/search`: `answer` is given a query and returns the addresses found, or a reply of its own.

    `second` does so for the second page of results.
    """

    def reply(visit: Visit) -> Reply:
        asked = parse_qs(urlsplit(visit.path).query)
        [query] = asked["q"]
        found = (second if asked.get("pageno") == ["2"] else answer)(query)
        if isinstance(found, Reply):
            return found
        results = [{"url": url, "title": f"Title of {url}", "content": f"A snippet on {query}."} for url in found]
        return Reply(json.dumps({"query": query, "results": results}), content_type="application/json")

    server.put("/search", reply)


def queries(server: WebServer) -> list[str]:
    """Return the queries that the engine got, in order."""
    return [parse_qs(urlsplit(visit.path).query)["q"][0] for visit in server.visits_to("/search")]
