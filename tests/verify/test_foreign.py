"""What somebody else's report says and cites, in the usual spellings."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.written import text_of
from spyglass.markup import ListBlock, Row
from spyglass.verify.citation_target import CitationTarget
from spyglass.verify.foreign import MOST_SENTENCES, read_foreign

CLAIM = "The harbour was built in 1871."


def only(text: str) -> tuple[str, Sequence[CitationTarget]]:
    (found,) = [(unit.text, named) for unit, named in read_foreign(text, "x").sentences if unit.asserts]
    return found


def test_a_cited_address_is_found_and_the_sentence_is_free_of_it() -> None:
    texts = [
        "The harbour was built in 1871 ([Altmere](https://a.example/x)).",
        "The harbour was built in 1871 [Altmere](https://a.example/x).",
        "The harbour was built in 1871. [Altmere](https://a.example/x)",
        "The harbour was built in 1871. ([Altmere](https://a.example/x))",
        "The harbour was built in 1871 [[1]](https://a.example/x).",
        "The harbour was built in 1871 [1](https://a.example/x).",
        "The harbour was built in 1871 https://a.example/x.",
        "The harbour was built in 1871 (https://a.example/x).",
        "The harbour was built in 1871 <https://a.example/x>.",
        "The harbour was built in 1871. Source: https://a.example/x",
        "The harbour was built in 1871 (source: [here](https://a.example/x)).",
        "The harbour was built in 1871 [1].\n\n## References\n\n1. Altmere. https://a.example/x",
        "The harbour was built in 1871.[1]\n\n**Sources:**\n- [1] [Altmere](https://a.example/x)",
        "The harbour was built in 1871 【1】.\n\nReferences\n[1] https://a.example/x, read in 2020",
        "The harbour was built in 1871 (1).\n\n# Quellen\n[1] <https://a.example/x>",
        "The harbour was built in 1871.¹\n\n## Notes\n1) https://a.example/x",
        "The harbour was built in 1871.[^1]\n\n[^1]: Altmere, https://a.example/x",
        "The harbour was built in 1871[^note].\n\n[^note]: See [Altmere](https://a.example/x).",
        "The harbour was built in 1871 [1].\n\n[1]: https://a.example/x",
        "The harbour was built in 1871 [1].\n\n[1] Altmere https://a.example/x",
        "The harbour was built in 1871 [Altmere][a].\n\n[a]: https://a.example/x 'title'",
    ]
    for text in texts:
        said, cited = only(text)
        assert ([named.url for named in cited], said) == (["https://a.example/x"], CLAIM), text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "According to [the port](https://a.example/x), the harbour was built in 1871.",
            "According to the port, the harbour was built in 1871.",
        ),
        ("The [old harbour](https://a.example/x) was built in 1871.", "The old harbour was built in 1871."),
        ("[The harbour was built in 1871.](https://a.example/x)", CLAIM),
        ("The harbour was built, says [Anna Berg](https://a.example/x).", "The harbour was built, says."),
    ],
)
def test_words_that_carry_a_link_stay(text: str, words: str) -> None:
    said, cited = only(text)
    assert [named.url for named in cited] == ["https://a.example/x"]
    assert said == words


def test_works_and_files_are_named_by_their_words() -> None:
    cases = [
        ("The harbour was built in 1871 (Smith 2020).", "Smith 2020"),
        ("The harbour was built in 1871 (Smith et al., 2020, p. 7).", "Smith et al., 2020, p. 7"),
        ("The harbour was built in 1871 (see harbour notes.md, p. 3).", "harbour notes.md"),
        ("The harbour was built in 1871 [harbour.pdf].", "harbour.pdf"),
        ("The harbour was built in 1871 [notes](docs/harbour.pdf#page=3).", "docs/harbour.pdf"),
        ("The harbour was built in 1871 [2].\n\n## References\n1. X\n2. Smith, J.: Harbours.", "Smith, J.: Harbours."),
    ]
    for text, words in cases:
        assert [(named.url, named.words) for named in only(text)[1]] == [("", words)], text


def test_a_number_that_no_reference_has_names_nothing() -> None:
    (named,) = only("The harbour was built in 1871 [7].\n\n## References\n1. https://a.example/x")[1]
    assert (named.spelled, named.url, named.words) == ("[7]", "", "")


def test_several_citations_of_one_sentence_are_all_found() -> None:
    listed = "\n".join(f"{n}. http://{name}.example" for n, name in enumerate("abcd", 1))
    text = f"The harbour was built in 1871 [1, 3-4].\n\n## Sources\n{listed}"
    assert [named.url for named in only(text)[1]] == ["http://a.example", "http://c.example", "http://d.example"]


def test_title_sections_lists_and_tables_are_read() -> None:
    foreign = read_foreign(
        "# The port\n\nIntroduction to all of it here.\n\n"
        "## Depth\n\n- The basin is deep.\n- Is it deep?\n\n### More\n\n"
        "| Mole | Length |\n|---|---|\n| North mole | 412 metres [1] |\n\n"
        "Cost\n----\n\nIt cost two millions.\n\n## Empty\n",
        "x",
    )
    assert (foreign.title, [section.title for section in foreign.sections]) == (
        "The port",
        ["The port", "Depth", "Cost"],
    )
    rows = [(unit.text, unit.asserts) for unit, _ in foreign.sentences if isinstance(unit, Row) and unit.columns]
    assert rows == [("Mole: North mole · Length: 412 metres", True)]
    asserting = [unit.text for unit, _ in foreign.sentences if unit.asserts]
    assert "Is it deep?" not in asserting
    assert "More" not in asserting
    assert isinstance(foreign.sections[1].blocks[0], ListBlock)


def test_code_comments_pictures_and_front_matter_say_nothing() -> None:
    text = "---\ntitle: The harbour is blue.\n---\n<!-- The harbour is red. -->\n"
    text += "![The harbour is green.](x.png)\n\n```\nThe harbour is grey.\n```\n"
    assert [(unit.text, named) for unit, named in read_foreign(text + CLAIM, "x").sentences] == [(CLAIM, ())]


def test_hostile_markup_is_made_harmless() -> None:
    text = "The <script>alert(1)</script> harbour was [built](javascript:alert(1)) in 1871\x1b[2J ![x](data:a)."
    shown = text_of(read_foreign(text, "x").sections[0])
    assert "<script" not in shown.replace("\\<", "")
    assert "\x1b" not in shown
    assert "](" not in shown.replace("\\]", "")


def test_a_report_without_end_is_cut() -> None:
    foreign = read_foreign("The harbour is deep. " * (MOST_SENTENCES + 10), "x")
    assert (len(foreign.sentences), foreign.cut) == (MOST_SENTENCES, True)


def test_hostile_text_is_read_to_its_end() -> None:
    units = ["[", "](", "[1](", "(((", "[^1]:", "http://a.", "**", "`", "| a ", "# ", "\n> ", "(a.pdf", "[a]["]
    for unit in units:
        long = unit * (100_000 // len(unit))
        assert read_foreign(f"{long}\n\n{long}\n\n{CLAIM}", "x").sentences[-1][0].text == CLAIM, unit


@given(st.text(alphabet="ab1. []()^:|#-\n!`*<>/ht", max_size=200))
def test_any_text_is_read(text: str) -> None:
    for unit, _ in read_foreign(text, "x").sentences:
        assert not set(unit.text) & {"\x00", "\x01", "\x02"}


@pytest.mark.parametrize(
    "reference", ["[2]: agency-report.html", "[2] population.csv", "- [2] notes/beavers.md", "[^2]: beavers.md"]
)
def test_a_file_that_stands_as_a_reference_without_a_heading_is_one(reference: str) -> None:
    marker = "[^2]" if "^" in reference else "[2]"
    foreign = read_foreign(f"The agency counted 165 beavers {marker}.\n\n{reference}\n", "x")
    ((_, cited),) = foreign.sentences
    assert [named.words for named in cited] == [reference.split("] ")[-1].split("]: ")[-1]]


def _sentences(text: str) -> list[tuple[str, list[str]]]:
    read = read_foreign(text, "report").sentences
    return [(unit.text, [one.url or one.words or one.spelled for one in named]) for unit, named in read]


def test_a_footnote_behind_a_full_stop_ends_its_sentence() -> None:
    text = "Bees dance.[^1][^b] Wasps chew wood![^1] They sting.\n\n[^1]: https://a.example\n[^b]: https://b.example\n"
    assert _sentences(text) == [
        ("Bees dance.", ["https://a.example", "https://b.example"]),
        ("Wasps chew wood!", ["https://a.example"]),
        ("They sting.", []),
    ]


def test_two_numbers_side_by_side_are_two_citations() -> None:
    text = "Bees dance [1][2].\n\n## References\n\n[1] A https://a.example\n[2] B https://b.example\n"
    assert _sentences(text) == [("Bees dance.", ["https://a.example", "https://b.example"])]


@pytest.mark.parametrize(
    ("link", "left"),
    [
        ("once a queen has left", "Bees swarm in May once a queen has left."),
        ("according to the keepers", "Bees swarm in May."),
        ("The Bee Journal of 1990", "Bees swarm in May."),
    ],
)
def test_the_text_of_a_link_that_goes_on_with_the_sentence_is_judged(link: str, left: str) -> None:
    assert _sentences(f"Bees swarm in May [{link}](https://a.example).") == [(left, ["https://a.example"])]


BIBLIOGRAPHY = """

## Bibliography

- Frisch, K. (1967). The dance language of bees. https://frisch.example
- Seeley, T. and Visscher, P. (2004). Quorum sensing. https://quorum.example
- Seeley, T. (1995). The wisdom of the hive. https://hive.example
"""


@pytest.mark.parametrize(
    ("said", "text", "url"),
    [
        ("Bees dance (Frisch, 1967).", "Bees dance.", "https://frisch.example"),
        ("Bees vote (see Seeley & Visscher 2004, p. 12).", "Bees vote.", "https://quorum.example"),
        ("Seeley and Visscher (2004) saw bees vote.", "Seeley and Visscher saw bees vote.", "https://quorum.example"),
        ("Bees dance (Lindauer, 1967).", "Bees dance.", "Lindauer, 1967"),
    ],
)
def test_an_author_and_a_year_name_the_one_work_that_has_both(said: str, text: str, url: str) -> None:
    assert _sentences(said + BIBLIOGRAPHY) == [(text, [url])]


def test_the_brackets_of_a_call_stay_and_those_of_a_citation_go() -> None:
    (one, _), (other, _) = read_foreign(
        "The method readFile() is fast [1]. It is old ([2]).\n\n## References\n1. a.md\n2. b.md\n", "x"
    ).sentences
    assert (one.text, other.text) == ("The method readFile() is fast.", "It is old.")
