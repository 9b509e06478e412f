"""What became of the pages and files that a report cites."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loopback import Reply, WebServer, article
from spyglass import research
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.verify.refetch import Today, refetch

FACT = "The harbour of Altmere was built in 1871, and its basin is seven metres deep at low water."
MORE = "The ferry to Strand leaves the southern mole four times a day between May and September."
PATH = "/harbour"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        network__allow_private=["127.0.0.0/8"],
        browser__mode="never",
        retrieval__dense=False,
        web=False,
        fetch__attempts=1,
    )


async def about(url: str, settings: Settings) -> Report:
    report = await research(
        "When was the harbour of Altmere built?", settings=settings.model_copy(update={"urls": [url]})
    )
    assert report.citations
    return report


async def today(report: Report, settings: Settings) -> Today:
    async with Run("verify", settings, journal=Journal()) as run:
        (found,) = await refetch(run, report, is_own=True)
        return found


async def test_a_page_that_is_as_it_was_is_fetched_past_the_cache(settings: Settings, web_server: WebServer) -> None:
    report = await about(web_server.put_article(PATH, "The harbour", FACT, MORE), settings)
    found = await today(report, settings)
    assert (found.state, found.place, len(web_server.visits_to(PATH))) == ("unchanged", web_server.url(PATH), 2)


@pytest.mark.parametrize(
    ("now", "state", "lost"),
    [
        (article("The harbour", FACT, MORE, "The pier was closed in spring."), "changed", 0),
        (article("The harbour", FACT.replace("of Altmere", "<b>of</b> Altmere"), f"{MORE} Or five."), "changed", 0),
        (article("The harbour", FACT.replace("1871", "1872"), MORE), "quote gone", 1),
    ],
)
async def test_a_page_that_changed_is_told_by_its_quotes(
    settings: Settings, web_server: WebServer, now: str, state: str, lost: int
) -> None:
    url = web_server.put(PATH, article("The harbour", FACT, MORE), now)
    found = await today(await about(url, settings), settings)
    assert (found.state, len(found.lost)) == (state, lost)


@pytest.mark.parametrize(
    ("now", "state", "why"),
    [
        (Reply(status=404), "gone", "The page does not exist"),
        (Reply(status=410), "gone", "The page is gone"),
        (Reply(status=403), "unreadable", "refuses access to the page"),
        (Reply(status=503), "unreadable", "overloaded"),
    ],
)
async def test_a_page_that_cannot_be_read_is_told_with_the_reason(
    settings: Settings, web_server: WebServer, now: Reply, state: str, why: str
) -> None:
    url = web_server.put(PATH, article("The harbour", FACT, MORE), now)
    found = await today(await about(url, settings), settings)
    assert found.state == state
    assert why in found.why


async def test_a_private_address_in_a_strangers_report_is_not_fetched(
    settings: Settings, web_server: WebServer
) -> None:
    report = await about(web_server.put_article(PATH, "The harbour", FACT, MORE), settings)
    found = await today(report, settings.updated(network__allow_private=[]))
    assert found.state == "unreadable"
    assert "loopback" in found.why
    assert len(web_server.visits_to(PATH)) == 1


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda path: None, "unchanged"),
        (lambda path: path.write_text(f"{path.read_text()}\n\nA new line.\n"), "changed"),
        (lambda path: path.write_text("Nothing is left of it."), "quote gone"),
        (lambda path: path.unlink(), "gone"),
        (lambda path: path.write_text(""), "unreadable"),
    ],
    ids=["as it was", "longer", "rewritten", "deleted", "empty"],
)
async def test_a_file_is_converted_again(
    settings: Settings, tmp_path: Path, change: Callable[[Path], object], state: str
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    path = folder / "harbour.md"
    path.write_text(f"# Harbour\n\n{FACT}\n\n{MORE}\n")
    report = await research("When was the harbour built?", settings=settings.model_copy(update={"db": [folder]}))
    change(path)
    found = await today(report, settings)
    assert (found.state, found.place) == (state, "harbour.md")
