"""Records as a research agent hands them over: sources whose passages are spans of a text in the journal."""

from typing import Any

from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Passage, Source, digest

HONEY = (
    "# Honey bees\n\n"
    "A honey bee colony holds about 50,000 workers in summer. Workers live for six weeks when they forage. "
    "The queen lays up to 2,000 eggs a day.\n\n"
    "Foragers tell the others where the flowers are by a waggle dance. The dance gives direction and distance.\n"
)
WASPS = (
    "# Wasps\n\n"
    "A wasp colony dies in autumn, and only young queens survive the winter. "
    "Wasps chew wood into paper and build their nests from it.\n"
)
HIVES = (
    "# Hives\n\n"
    "Beekeepers keep a colony in a wooden hive with movable frames. "
    "A strong colony gives 20 kilograms of honey in a year.\n\n"
    "| Hive | Frames |\n| --- | --- |\n| Langstroth | 10 |\n| Dadant | 12 |\n"
)


def record(journal: Journal, path: str, text: str, *parts: str, **more: Any) -> dict[str, Any]:
    """Return the record of a file; each of `parts` is a passage of it, the whole text when none is named."""
    snapshot = digest(text, size=64)
    journal.keep_snapshot(snapshot, text)
    passages = [_passage(text, part) for part in parts or (text,)]
    values = {
        "title": path,
        "summary": "\n\n".join(passage.text for passage in passages),
        "brief_summary": passages[0].text[:100],
        "keywords": [],
        "url": f"file:{path}",
        "kind": "file",
        "path": path,
        "snapshot": snapshot,
        "retrieved_at": "2026-03-01T10:00:00+00:00",
        "passages": passages,
    }
    return Source.model_validate({**values, **more}).model_dump()


def plain_record(title: str, summary: str, **more: Any) -> dict[str, Any]:
    """Return what a third party's agent may hand over: the five keys of the contract."""
    return {
        "title": title,
        "summary": summary,
        "brief_summary": summary[:80],
        "keywords": [],
        "url": f"https://example.org/{title.replace(' ', '-')}",
        **more,
    }


def bees(journal: Journal) -> list[dict[str, Any]]:
    """Return three files about insects."""
    return [
        record(journal, "bees.md", HONEY),
        record(journal, "wasps.md", WASPS),
        record(journal, "hives.md", HIVES),
    ]


def _passage(text: str, part: str) -> Passage:
    start = text.index(part)
    end = start + len(part)
    return Passage(
        text=part, start=start, end=end, line=text.count("\n", 0, start) + 1, last_line=text.count("\n", 0, end) + 1
    )
