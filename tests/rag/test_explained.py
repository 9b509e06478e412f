"""The terms that a text explains are found by how it stands, and a passage that explains one is found first."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.run import Run
from spyglass.rag.explained import explained, explains, in_own_line, names_of, questions_in_own_line, run_in
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve

GLOSSARY = """# Glossary

Background writer

An auxiliary process that writes dirty pages.

**WAL file**
: Holds the changes, in order.

git-rerere - Reuse recorded resolution

- bare repository — One without a working tree

This line ends with a full stop.

It explains nothing - though it has a dash.

views, materialized

See there.

APPEND_HISTORY \\<D>

Sessions append their history.

Sets the given \\<variable> in the current scope.

Default value:

0

No more is said.
"""


def test_a_term_stands_in_a_line_of_its_own_or_before_a_dash() -> None:
    found = {term: GLOSSARY[start:].split("\n")[0] for term, start in explained(GLOSSARY)}
    assert found == {
        "Background writer": "An auxiliary process that writes dirty pages.",
        "APPEND_HISTORY": "Sessions append their history.",
        "WAL file": "Holds the changes, in order.",
        "git-rerere": "git-rerere - Reuse recorded resolution",
        "bare repository": "bare repository — One without a working tree",
        "It explains nothing": "It explains nothing - though it has a dash.",
    }


@given(st.text(alphabet="ab *_`-–:#|>\n", max_size=400))
def test_every_term_is_a_text_with_words_and_what_explains_it_is_within(text: str) -> None:
    for term, start in explained(text):
        assert term.strip()
        assert 0 <= start < len(text)


def test_a_term_with_its_short_form_in_brackets_is_called_by_either() -> None:
    assert names_of("Write-ahead log (WAL)") == ["Write-ahead log (WAL)", "Write-ahead log", "WAL"]
    for alone in ("WAL", "autovacuum (boolean)", "Materialized view (relation)", "git-log(1)", "search_path (string)"):
        assert names_of(alone) == [alone]
    assert [term for term, _ in explained("gc.auto\n\nWhen there are too many.")] == ["gc.auto"]
    assert [term for term, _ in explained("apply [--index] [<stash>]\n\nLike pop, but it stays.")] == ["apply"]
    assert [term for term, _ in explained("3.85. editor\n\nThe editor in use.")] == ["editor"]
    assert not list(explained("富士山は静岡県にある。\n\n冬は雪が積もる。"))
    text = "Write-ahead log (WAL)\n\nThe journal of all changes."
    assert explains(text, ["wal"])
    assert explains(text, ["write", "ahead", "log"])
    assert not explains(text, ["log"])


def test_the_names_of_an_option_are_separated_by_a_space_a_bar_or_a_slash_too() -> None:
    text = "-s --symlinks\n\nFollow.\n\n-a|--all\n\nList.\n\n-q / --quiet\n\nHush.\n\n-o file --out=file\n\nWrite.\n"
    found = [names_of(term) for term, _ in explained(text)]
    assert [names[1:] for names in found] == [["-s", "--symlinks"], ["-a", "--all"], ["-q", "--quiet"], ["-o", "--out"]]


def test_options_and_settings_are_terms_each_by_its_own_name() -> None:
    manual = (
        "cache-max-ttl: \\<seconds>\n\nTime to live.\n\n-m, --max-time \\<fractional seconds>\n\nAt most so long.\n\n"
        "-mindepth levels\n\nNot above these.\n\nKillOnlyUsers=, KillExcludeUsers=\n\nLists of names.\n\n"
        "$RANDOM\n\nA number.\n\n-o file, --out=file\n\nWrites there.\n\n"
        "[--right-axis scale:shift] [--label l]\n\nDraws an axis.\n\n"
        "header_limit (default: 102400)\n\nThe most bytes of a header.\n\n"
        "networks (default: here, there)\n\nWho is trusted.\n\nApples (red, green)\n\nNo term.\n\n"
        "See below, or above\n\nNo term.\n\nNote:\n\nNo term.\n\n- item\n\nNo term.\n"
    )
    found = [term for term, _ in in_own_line(manual)]
    assert found == [
        "cache-max-ttl",
        "-m, --max-time",
        "-mindepth",
        "KillOnlyUsers=, KillExcludeUsers=",
        "$RANDOM",
        "-o file, --out",
        "--right-axis",
        "header_limit",
        "networks",
    ]
    assert [names_of(term)[1:] for term in found] == [
        [],
        ["-m", "--max-time"],
        [],
        ["KillOnlyUsers", "KillExcludeUsers"],
        [],
        ["-o", "--out"],
        [],
        [],
        [],
    ]


async def test_the_passage_on_an_option_that_a_question_names_is_among_those_found(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "manual"
    folder.mkdir()
    (folder / "horn.md").write_text("# horn(1)\n\n-k, --kernel\n\nShow what the pier says.\n" + "\nIt is loud. " * 300)
    for number in range(40):
        (folder / f"horn-{number}.md").write_text(
            f"# Horn {number}\n\nWhat horn -k {number} can do, horn k, does. " * 9
        )
    settings = run.settings.updated(retrieval__dense=False)
    await ingest(run, folder, embed=False, settings=settings)
    hits = await retrieve(
        run, [folder], ["What does the horn do when it is run with -k at night?"], 20, settings=settings
    )
    assert hits[0].path == "horn.md"


async def test_the_passage_that_explains_a_term_is_found_before_those_that_use_it(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "manual"
    folder.mkdir()
    (folder / "glossary.md").write_text(GLOSSARY + "\nMore is told of many other things here. " * 40)
    for number in range(12):
        (folder / f"writer-{number}.md").write_text(f"The background writer and its background writer {number}. " * 20)
    for number in range(12):
        (folder / f"kinds-{number}.md").write_text(f"The background writer {number}\n\nIs one of the processes. " * 3)
    settings = run.settings.updated(retrieval__dense=False)
    await ingest(run, folder, embed=False, settings=settings)
    hits = await retrieve(run, [folder], ["background writer"], 3, settings=settings)
    assert hits[0].path == "glossary.md"


def test_a_question_that_is_a_paragraph_of_its_own_is_told_with_where_it_begins() -> None:
    text = (
        "5.4.\n\nIs it possible to moor a boat that is under way?\n\nNo. It has to stand still.\n\n"
        "Why, then, are there lines? They are for later.\n\n- Is this one of a list?\n\nWhat is left?\n\n## Fees\n"
    )
    found = list(questions_in_own_line(text))
    assert [asked for asked, _ in found] == ["Is it possible to moor a boat that is under way?"]
    assert all(text[start:].startswith(asked) for asked, start in found)


def test_a_question_with_a_number_or_a_file_in_it_heads_its_answer() -> None:
    text = " 1. Is the pier lit?\n\n  Yes.\n\n12) Where is pier.h? Is it there?\n\nIt is.\n\n**Do I need pier.h?**\nNo."
    asked = [question for question, _ in questions_in_own_line(text)]
    assert asked == ["Is the pier lit?", "Where is pier.h? Is it there?"]
    assert [question for question, *_ in run_in(text)] == ["Do I need pier.h?"]


def test_the_first_of_several_lines_with_labels_heads_none_of_them() -> None:
    lines = "**Date:** Saturday 14 June\n**Start:** 10 am\n\n**Kiosk:** Hanne, daily from seven.\nNot on Sundays.\n"
    assert [term for term, *_ in run_in(lines)] == ["Kiosk"]


def test_a_setting_with_its_choices_is_a_term_and_a_sentence_with_a_remark_in_brackets_is_none() -> None:
    text = (
        "Expunge {None|Far|Both}\n\nPermanently remove all messages [on the far side] marked so. See below. "
        "(Global default: None)\n\nCopyArrivalDate {yes|no}\n\nSelects whether the time is kept."
    )
    assert [term for term, _ in in_own_line(text)] == ["Expunge", "CopyArrivalDate"]
