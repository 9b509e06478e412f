"""A client that knows nothing but the contract of the events follows every stream to its result."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from loopback import SearchServer, WebServer
from serve.conftest import Serving
from serve.test_app import DEPTH, QUESTION, asking
from spyglass.kernel.events import Event
from spyglass.kernel.settings import Settings
from spyglass.tools.tool_event import Teller
from spyglass.tools.web_research import web_research
from tools.sites import finds, put

PHASES = ["WEB_SEARCH", "SCRAPING_URLS", "RERANKING"]
SHOWN = ["rank", "title", "url", "snippet", "engine", "score"]
RATED = ["rank", "title", "url", "snippet", "rerank_score", "used_in_response"]


@dataclass
class Client:
    """Reads `event:` and `data:` lines; of events other than the contract's it knows nothing."""

    phases: list[tuple[str, str]] = field(default_factory=list)
    changes: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    flat: Counter[str] = field(default_factory=Counter)
    outputs: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] | None = None

    def read(self, lines: Iterable[str]) -> "Client":
        name, slices = "", dict[int, str]()
        for line in lines:
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "data" and name == "_delta_sse":
                part = json.loads(value)
                slices[part["index"]] = part["slice"]
                if len(slices) == part["total"]:
                    whole = json.loads("".join(slices[index] for index in sorted(slices)))
                    self.take(whole["event"], whole["data"])
                    slices.clear()
            elif key == "data":
                self.take(name, json.loads(value))
        return self

    def take(self, name: str, data: dict[str, Any]) -> None:
        if name == "tool_end":
            self.result = data
        if name != "tool_update":
            return
        if "phase" in data:
            self.phases.append((data["phase"], data["status"]))
            self.changes[data["phase"], data["status"]] = data
        else:
            self.flat[data["output_key"]] += 1
            self.outputs[data["output_key"]] = data[data["output_key"]]

    def check(self, question: str, pages: int) -> None:
        """Hold what was told against the contract."""
        known = [one for one in self.phases if one[0] in PHASES]
        assert known == [(phase, status) for phase in PHASES for status in ("started", "completed")]
        assert max(Counter(self.phases).values()) == 1
        assert self.changes["WEB_SEARCH", "started"]["query"] == question
        searched = self.changes["WEB_SEARCH", "completed"]
        assert searched["output_key"] == "sources"
        assert searched["data"]["results_count"] == len(searched["data"]["sources"]) == pages
        assert [list(one) for one in searched["data"]["sources"]] == [SHOWN] * pages
        assert self.changes["SCRAPING_URLS", "started"]["data"] == {"url_count": pages}
        assert self.changes["SCRAPING_URLS", "completed"]["data"] == {"url_count": pages, "scraped_count": pages}
        assert self.changes["RERANKING", "completed"]["data"] == {"reranked_count": pages}
        assert self.flat == {"reranked_results": 1, "sources": 1}
        assert self.outputs["reranked_results"] == pages
        assert [list(one) for one in self.outputs["sources"]] == [RATED] * pages
        assert [one["rank"] for one in self.outputs["sources"]] == list(range(1, pages + 1))
        assert not any(one["used_in_response"] for one in self.outputs["sources"])


@pytest.fixture
def pages(search_server: SearchServer, web_server: WebServer) -> int:
    """Pages that every query finds, and that answer the question."""
    urls = [put(web_server, f"127.0.0.{number}", f"/{number}", f"{DEPTH} So say {number}.") for number in range(1, 4)]
    finds(search_server, *urls)
    return len(urls)


@pytest.mark.parametrize(
    ("path", "asked"), [("/search", {"query": QUESTION}), ("/report", {"q": QUESTION, "web": True})]
)
async def test_a_stream_is_followed_from_its_phases_to_its_result(
    serving: Serving, pages: int, path: str, asked: dict[str, Any]
) -> None:
    async with serving(serve__sse_limit=4_096) as base, asking(base, path, **asked) as response:
        client = Client().read((await response.text()).splitlines())
    client.check(QUESTION, pages)
    assert client.result is not None
    addresses = {one["url"] for one in client.outputs["sources"]}
    assert {one["url"] for one in client.result["sources"] if one.get("kind", "web") == "web"} <= addresses


async def test_research_without_a_model_tells_the_same(online: Settings, pages: int) -> None:
    seen: list[Event] = []
    found = await web_research("water depth", settings=online, on_event=seen.append)
    client, teller = Client(), Teller("water depth")
    for event in seen:
        if (told := teller.update(event)) is not None:
            client.take(told.name, json.loads(json.dumps(told.data)))
    client.check("water depth", pages)
    assert ("GENERATION", "completed") in client.phases
    assert {one.url for one in found.sources} <= {one["url"] for one in client.outputs["sources"]}
