"""Retrieval brings verbatim passages that serve the query, and nothing where nothing does."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as checking
from hypothesis import strategies as st

from rag.shelf import BEES, DOCUMENTS, fill, found, ingested, running
from spyglass.kernel.settings import Settings
from spyglass.kernel.term import terms
from spyglass.rag.retrieve import openings, retrieve
from spyglass.rag.stems import STEMS


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(tmp_path / "files")


async def test_a_hit_is_a_verbatim_span_of_a_kept_text(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    async with running(words_only) as run:
        (hit,) = await retrieve(run, [files], ["How many queens has a colony of bees?"], 2)
        whole = run.journal.snapshot(hit.snapshot)
    assert whole == BEES
    passage = hit.passage
    assert whole[passage.start : passage.end] == passage.text
    assert (hit.path, hit.title, passage.heading, passage.place) == ("animals/bees.md", "Bees", "Bees", "lines 1-3")
    assert (hit.lexical, hit.dense, passage.score) == (1, None, 1.0)


async def test_what_no_file_says_is_not_found(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    for query in ("What is the capital of Mongolia?", "quarterly revenue", "the of and", "", "?!"):
        assert await found(words_only, files, query) == []


async def test_one_common_word_of_two_is_no_answer(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {f"{n}.md": f"The capital of company {n} is small." for n in range(9)})
    await ingested(words_only, files)
    assert await found(words_only, files, "capital of Mongolia") == []
    assert len(await found(words_only, files, "capital of company")) == 5


async def test_how_things_are_is_told_before_what_changed_unless_that_is_asked(
    words_only: Settings, tmp_path: Path
) -> None:
    changes = "A queue of mail: the queue of mail no longer forgets mail."
    files = fill(
        tmp_path / "files",
        {"changelog.md": changes, "queue.md": "Mail waits in a queue until it can be sent on its way."},
    )
    await ingested(words_only, files)
    for query, first in {"the queue of mail": "queue.md", "changes of the queue of mail": "changelog.md"}.items():
        assert (await found(words_only, files, query))[0].path == first


async def test_a_misspelt_word_is_mended_from_the_files_and_that_is_said(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    async with running(words_only) as run:
        hits = await retrieve(run, [files], ["How many quueens has a Colonny of bees?"], 2)
        told = [str(notice) for notice in run.notices]
    assert [hit.path for hit in hits] == ["animals/bees.md"]
    assert [line for line in told if "instead" in line] == [
        "No file contains the word “quueens”; “queen” was searched for instead.",
        "No file contains the word “Colonny”; “Colony” was searched for instead.",
    ]


async def test_a_mended_word_is_told_as_the_files_have_it(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"a.md": "The universe is large, and universities are in it."})
    await ingested(words_only, files)
    async with running(words_only) as run:
        hits = await retrieve(run, [files], ["How large is the univrse?"], 2)
        told = [str(notice) for notice in run.notices]
    assert [hit.path for hit in hits] == ["a.md"]
    assert "No file contains the word “univrse”; “universe” was searched for instead." in told


async def test_words_of_the_file_name_and_the_headings_count(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"invoices/acme-2024.md": "# Paid\n\nTotal: 300.", "other.md": "Total: 5."})
    await ingested(words_only, files)
    hits = await found(words_only, files, "total of the Acme invoice")
    assert [hit.path for hit in hits] == ["invoices/acme-2024.md"]


@pytest.mark.parametrize(
    ("query", "path"), [("東京の人口", "ja.md"), ("北京天气", "zh.md"), ("Größe der Städte", "de.md")]
)
async def test_other_scripts_and_languages_are_found_by_their_words(
    words_only: Settings, tmp_path: Path, query: str, path: str
) -> None:
    documents = {
        "ja.md": "東京の人口は約千四百万人です。",
        "zh.md": "今天北京天气很好。",
        "de.md": "Die Größe der Städte nimmt zu.",
    }
    files = fill(tmp_path / "files", documents)
    await ingested(words_only, files)
    assert [hit.path for hit in await found(words_only, files, query)] == [path]


async def test_equal_texts_are_one_hit(words_only: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"a.md": BEES, "copy of a.md": BEES})
    await ingested(words_only, files)
    assert [hit.path for hit in await found(words_only, files, "queen of the bees")] == ["a.md"]


async def test_each_query_brings_its_best_and_a_passage_comes_once(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    async with running(words_only) as run:
        queries = ["queen bees", "moon sea", "workers nectar pollen", "queen bees"]
        hits = await retrieve(run, [files], queries, 1)
        assert sorted(hit.path for hit in hits) == ["animals/bees.md", "tides.md"]
        assert sum(kind == "retrieve" for kind, _, _ in run.journal.effects()) == 3


async def test_several_folders_are_one_search(words_only: Settings, files: Path, tmp_path: Path) -> None:
    other = fill(
        tmp_path / "other", {"hive.md": "A hive of bees has a queen, and the queen lays eggs.", "sea.md": "Sea."}
    )
    await ingested(words_only, files)
    await ingested(words_only, other)
    async with running(words_only) as run:
        hits = await retrieve(run, [files, other], ["queen of the bees"], 5)
    assert {(hit.base, hit.path) for hit in hits} == {(str(files), "animals/bees.md"), (str(other), "hive.md")}


_OPERATORS = [
    '"',
    "'",
    "*",
    "(",
    ")",
    "NEAR(",
    " AND ",
    " OR ",
    " NOT ",
    "^",
    ":",
    "-",
    "{",
    "}",
    "body:",
    "\x00",
    "\\",
]
_WORDS = ["bees", "queen", "'; DROP TABLE file; --", "%", "_", "?", "漢", "\U0001f600", "\u2028"]


@checking(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(_OPERATORS + _WORDS), max_size=12).map("".join) | st.text(max_size=200))
@example('queen" OR body:*')
@example("NEAR(queen bees, 3)")
@example("DAI")  # the stem of "day"
async def test_no_query_is_anything_but_words(words_only: Settings, files: Path, query: str) -> None:
    await ingested(words_only, files)
    hits = await found(words_only, files, query)
    sharing_a_word = await asyncio.to_thread(_sharing_a_word, query)
    assert {hit.path for hit in hits} <= {"animals/bees.md"} | sharing_a_word
    if set(terms(query)) in ({"bees"}, {"queen"}, {"bees", "queen"}):
        assert hits


async def test_a_query_of_a_hundred_thousand_characters_is_bounded(words_only: Settings, files: Path) -> None:
    await ingested(words_only, files)
    query = "queen bees colony " + " ".join(f"word{number}" for number in range(12_000))
    assert len(query) > 100_000
    assert {hit.path for hit in await found(words_only, files, query)} <= {"animals/bees.md"}


async def test_the_openings_are_the_first_passage_of_each_file_in_the_order_of_their_paths(
    words_only: Settings, tmp_path: Path
) -> None:
    long = "# Long\n\n" + "\n\n".join(f"Paragraph {n} tells of the harbour and its ships. " * 9 for n in range(9))
    files = fill(tmp_path / "files", {"b.md": long, "a.md": "# Short\n\nA short text."})
    await ingested(words_only, files)
    async with running(words_only) as run:
        hits = await openings(run, [files])
    assert [(hit.path, hit.passage.start) for hit in hits] == [("a.md", 0), ("b.md", 0)]


def _sharing_a_word(query: str) -> set[str]:
    """Return the documents that contain a word of the query in some form."""
    return {path for path, text in DOCUMENTS.items() if _stems(f"{path} {text}") & _stems(query)}


def _stems(text: str) -> set[str]:
    return {stem for stems in STEMS.of(terms(text)).values() for stem in stems}
