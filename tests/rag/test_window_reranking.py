"""Passages are ranked anew by the part of each that has most to do with the query, and by their files' names."""

from pathlib import Path

from rag.shelf import fill, found, ingested
from spyglass.kernel.settings import Settings
from spyglass.rag.lexical import names_in, shares
from spyglass.rag.window_reranking import DEPTH, WINDOW, best_window


def test_the_window_with_most_of_the_words_is_taken() -> None:
    text = " ".join([*["filler"] * 100, "the basin is seven metres deep", *["filler"] * 100])
    assert "seven metres deep" in best_window(text, ["basin", "deep"])
    assert len(best_window(text, ["basin"])) <= WINDOW
    assert best_window("short", ["basin"]) == "short"


def test_names_and_numbers_of_a_query_are_told_from_its_other_words() -> None:
    cases = {
        "What was the revenue of Altmere in 2018?": ["2018", "altmere"],
        "3m capital expenditure": ["3m"],
        "boundary layer of a flat plate": [],
        "Wie tief ist das Becken im Hafen von Altmere?": [],
    }
    assert {query: names_in(query) for query in cases} == cases


def test_a_word_counts_that_few_names_have() -> None:
    names = {"a": "Altmere annual report", "b": "Birkhall annual report", "c": "Corvin annual report"}
    assert shares(["altmere", "annual", "report"], names) == {"a": 1.0, "b": 0.0, "c": 0.0}


async def test_the_file_that_is_called_as_the_question_says_is_preferred(settings: Settings, tmp_path: Path) -> None:
    line = "Capital expenditure of the company was {} million crowns in the year."
    files = fill(
        tmp_path / "files", {f"{name}_2018.md": line.format(n) for n, name in enumerate(("Altmere", "Birkhall"))}
    )
    words_only = settings.updated(retrieval__dense=False)
    await ingested(words_only, files)
    assert (await found(words_only, files, "capital expenditure of Birkhall", 1))[0].path == "Birkhall_2018.md"


async def test_of_a_text_and_its_translations_the_one_in_the_language_of_the_question_is_preferred(
    settings: Settings, tmp_path: Path
) -> None:
    words_only = settings.updated(retrieval__dense=False)
    told = {
        "de.md": "Das Becken im Hafen von Altmere ist bei Ebbe sieben Meter tief, und die Tiefe ist im Winter gleich.",
        "en.md": "The basin is seven metres deep at low water, and that is the same in the winter of Altmere.",
        "fr.md": "Le bassin du port d'Altmere (basin, harbour) est de sept mètres à marée basse, et en hiver aussi.",
    }
    files = fill(tmp_path / "files", told)
    await ingested(words_only, files)
    asked = {
        "How deep is the basin of the harbour of Altmere?": "en.md",
        "Wie tief ist der Hafen von Altmere?": "de.md",
    }
    assert {one: (await found(words_only, files, one, 3))[0].path for one in asked} == asked
    (files / "en.md").unlink()
    await ingested(words_only, files)
    assert [hit.path for hit in await found(words_only, files, "the harbour basin of Altmere", 3)] == ["fr.md"]


async def test_passages_that_were_not_compared_stand_behind_those_that_were(settings: Settings, tmp_path: Path) -> None:
    words_only = settings.updated(retrieval__dense=False)
    notes = "\n\n".join(f"## Note {n}\n\nAltmere had costs. {'They rose again. ' * 60}" for n in range(DEPTH))
    files = fill(tmp_path / "files", {"Altmere.md": notes, "Birkhall.md": "Costs of another kind."})
    await ingested(words_only, files)
    hits = await found(words_only, files, "What future costs does Altmere expect in the year?", 2 * DEPTH)
    assert [hit.path for hit in hits].index("Birkhall.md") >= DEPTH
