"""The words of a query are searched as the files spell them; only a misspelt one becomes another word."""

from pathlib import Path

import pytest

from rag.shelf import fill, found, ingested, running
from spyglass.kernel.settings import Settings
from spyglass.rag.retrieve import retrieve

CLUB = {
    "kasse.md": "# Kasse\n\nDer Beitrag wird im März gezahlt. Wer seinen Schlüssel verliert, ersetzt ihn.\n",
    "flaschen.md": "# Pfand\n\nLeere Flaschen kommen in den Keller.\n",
}


async def told(settings: Settings, files: Path, query: str) -> list[str]:
    """Return what is said of the words of a query."""
    async with running(settings) as run:
        await retrieve(run, [files], [query], 2)
        return [str(notice) for notice in run.notices if "instead" in str(notice)]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("Wann wird der Vorstand gewählt?", "gezahlt"),
        ("Was passiert bei einer falschen Angabe?", "Flaschen"),
    ],
)
async def test_a_word_of_the_language_is_no_misspelling_of_another(
    words_only: Settings, tmp_path: Path, query: str, missing: str
) -> None:
    files = fill(tmp_path / "files", CLUB)
    await ingested(words_only, files)
    assert await told(words_only, files, query) == []
    assert not any(missing in hit.passage.text for hit in await found(words_only, files, query))


async def test_a_word_is_found_with_another_ending_without_a_remark(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", CLUB)
    await ingested(words_only, files)
    query = "Was ist, wenn ich den Schlüssel verliere?"
    assert await told(words_only, files, query) == []
    assert (await found(words_only, files, query))[0].path == "kasse.md"


async def test_what_is_no_word_of_the_language_is_mended(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", CLUB)
    await ingested(words_only, files)
    assert await told(words_only, files, "Wohin kommen leere Flasschen?") == [
        "No file contains the word “Flasschen”; “Flaschen” was searched for instead."
    ]


async def test_only_whole_words_are_respelt(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"a.md": "Wer wartet, bekommt Kaffee.", "b.md": "Wir erwarten viele Gäste."})
    await ingested(words_only, files)
    assert {hit.path for hit in await found(words_only, files, "warten und erwarten")} == {"a.md", "b.md"}
