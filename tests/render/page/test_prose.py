"""A section's Markdown becomes HTML: markers become cards, doubtful sentences are marked, nothing else comes in."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as parser

from report.sample import sample
from report.written import blocks_of
from spyglass.kernel.notice import Notice
from spyglass.kernel.source import Citation, Support, Verdict, digest
from spyglass.markup import MarkdownParser, mapped
from spyglass.render.labels import labels_in
from spyglass.render.page.card import Cards
from spyglass.render.page.prose import Prose
from spyglass.report import Report
from spyglass.report.report import Reference, Section, Snapshot

WORDS = labels_in("en")
NONE: Mapping[str, Verdict] = MappingProxyType({})
TEXT = "One source says this. Another says that."


def report(text: str, numbers: int | list[int] = 0, flagged: Mapping[str, Verdict] = NONE, **more: Any) -> Report:
    """Return a report with a section, whose markers cite the first sentence of a text."""
    cited = list(range(1, numbers + 1)) if isinstance(numbers, int) else numbers
    name = digest(TEXT, size=64)
    quote = "One source says this."
    blocks = mapped(blocks_of(text), lambda unit: unit.judged(flagged.get(unit.text)))
    return sample(
        sections=[Section(title="Buses", blocks=blocks)],
        references=[
            Reference(number=number, source_id="s", title=f"Page {number}", url="https://e.example/", quote=quote)
            for number in sorted(set(cited))
        ],
        citations=[
            Citation(number=number, source_id="s", passage=0, snapshot=name, start=0, end=len(quote), quote=quote)
            for number in cited
        ],
        snapshots=[Snapshot(hash=name, text=TEXT, title="Page", kind="web", url="https://e.example/")],
        **more,
    )


def verdict(verdict: Support = "partial", *reasons: Notice) -> Verdict:
    return Verdict(verdict=verdict, score=0.5, reasons=list(reasons))


def written(report: Report) -> str:
    return Prose(WORDS, Cards(report, WORDS)).section(report.sections[0], "1")


def of_another(text: str) -> str:
    return Prose(WORDS, top=1).blocks(MarkdownParser(links=True).blocks(text))


def read(page: str) -> Any:
    return parser.fragment_fromstring(page, create_parent="div")


def seen(page: str) -> str:
    """Return the text that is seen without opening a card."""
    tree = read(page)
    for card in tree.xpath("//*[@popover]"):
        card.drop_tree()
    return " ".join(tree.text_content().replace("\u00a0", " ").split())


def test_a_marker_is_a_button_that_opens_its_quote() -> None:
    tree = read(written(report("This is said [1]. So is that. [2]", 2)))
    assert tree.xpath("//button[@class='marker']/text()") == ["1", "2"]
    assert tree.xpath("//button[@class='marker']/@popovertarget") == tree.xpath("//*[@popover]/@id") == ["c1", "c2"]
    assert tree.xpath("//mark/text()") == ["One source says this."] * 2
    assert tree.xpath("//*[@popover]//strong/text()") == ["Page 1", "Page 2"]


def test_markers_in_tables_lists_headings_and_emphasis_are_cards_too() -> None:
    text = "### Head [1]\n\n- item [2]\n\n| a | b |\n| - | - |\n| x [3] | **y [4]** |\n"
    assert read(written(report(text, 4))).xpath("//button[@class='marker']/text()") == ["1", "2", "3", "4"]


@pytest.mark.parametrize("text", [r"Not \[1] one.", "```\n[1]\n```", "~~~\n[1]\n~~~"])
def test_what_is_escaped_or_code_or_no_citation_stays_text(text: str) -> None:
    page = written(report(text + "\n\nThis is one [1].", 1))
    assert read(page).xpath("//button[@class='marker']/text()") == ["1"]
    assert re.sub(r"\\|```|~~~", "", text).strip() in seen(page)


def test_a_marker_that_a_table_drops_does_not_shift_the_others() -> None:
    text = "| a |\n| - |\n| x [1] | y [2] |\n\nAfter [3]."
    tree = read(written(report(text, 2)))
    assert tree.xpath("//button[@class='marker']/text()") == ["1", "2"]
    assert tree.xpath("//*[@popover]/@id") == ["c1", "c2"]


def test_a_word_and_its_marker_stay_on_one_line() -> None:
    tree = read(written(report("The bus was late. [1]", 1)))
    assert tree.xpath("//span[@class='tied']/text()") == ["late.\u00a0"]


def test_a_sentence_that_is_partly_supported_is_marked_and_says_why() -> None:
    text = "First. The bus was **late** again. [1] Last."
    why = Notice("quantifier_missing", what="again")
    page = written(report(text, 1, {"The bus was late again.": verdict("partial", why)}))
    tree = read(page)
    (marked,) = tree.xpath("//span[@class='claim partial']")
    assert seen(parser.tostring(marked, encoding="unicode", with_tail=False)) == "The bus was late again. 1"
    (button,) = tree.xpath("//button[@class='flag partial']")
    assert button.text == "partly supported"
    (card,) = tree.xpath(f"//*[@id='{button.get('popovertarget')}']")
    assert "“again” is not in the source." in card.text_content()
    assert seen(page) == "First. The bus was late again. 1 partly supported Last."


def test_an_unsupported_sentence_without_a_citation_has_no_source() -> None:
    page = written(report("The bus was late.", 0, {"The bus was late.": verdict("unsupported")}))
    assert read(page).xpath("//span[@class='flag unsupported']/text()") == ["no source"]
    assert seen(page) == "The bus was late. no source"


def test_a_row_of_a_table_is_flagged_in_its_last_cell() -> None:
    text = "| Line | Late |\n| --- | --- |\n| 4 | 12 [1] |\n| 7 | 3 |"
    page = written(report(text, 1, {"Line: 4 · Late: 12": verdict()}))
    cells = read(page).xpath("//td")
    assert [seen(parser.tostring(cell, encoding="unicode", with_tail=False)) for cell in cells] == [
        "4",
        "12 1 partly supported",
        "7",
        "3",
    ]


def test_emphasis_beside_the_ends_of_a_flagged_sentence_stays() -> None:
    text = '**"Late"** was the bus. **It rained.**'
    flagged = {'"Late" was the bus.': verdict(), "It rained.": verdict()}
    tree = read(nh3.clean(written(report(text, 0, flagged)), attributes={"span": {"class"}}))
    assert [one.text_content() for one in tree.xpath("//strong")] == ['"Late"', "It rained."]
    assert len(tree.xpath("//span[@class='claim partial']")) == 2


def test_headings_begin_below_the_section_and_skip_no_level() -> None:
    page = written(report("# One\n\n##### Two\n\n## Three"))
    assert [node.tag for node in read(page).xpath("//*[self::h1 or self::h2 or self::h3 or self::h4]")] == [
        "h3",
        "h4",
        "h3",
    ]


def test_a_wide_table_can_be_moved_by_keys_and_is_aligned_without_a_style() -> None:
    page = written(report("| | Late |\n| --- | ---: |\n| x | 12 |"))
    tree = read(page)
    assert tree.xpath("//div[@tabindex='0']/@aria-label") == ["Buses"]
    assert tree.xpath("//td[@class='right']/text()") == ["12"]
    assert tree.xpath("//th/@scope") == ["col"]
    assert "style" not in page


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "<https://evil.example>",
    "[x]: https://evil.example\n\n[x]",
    '<a href="https://evil.example">x</a>',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<style>*{display:none}</style>",
    "<svg><script>alert(1)</script></svg>",
    "```html onmouseover=alert(1)\n<b>\n```",
]


def test_nothing_in_a_section_becomes_a_link_a_picture_or_an_element() -> None:
    for text in HOSTILE:
        tree = read(written(report(text)))
        assert {node.tag for node in tree.iter()} <= {"div", "p", "pre", "code"}, text
        assert {name for node in tree.iter() for name in node.attrib} <= {"dir", "class"}, text


def test_the_text_of_anothers_reporter_keeps_its_links_but_no_pictures_and_no_html() -> None:
    tree = read(
        of_another("# Title\n\n[good](https://e.example/) [bad](javascript:alert(1)) ![p](https://e.example/p)")
    )
    assert tree.xpath("//h1/text()") == ["Title"]
    assert tree.xpath("//a/@href") == ["https://e.example/", "https://e.example/p"]
    assert not tree.xpath("//img")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["word", " ", "\n", "\n\n", "- ", "| a | b |\n", "| - | - |\n", "**", "*", "`a`", "[1]", "\\[", "# "]
        )
        | st.sampled_from(["\n```\na\n```\n", "> ", "1. ", "<b>", "⸀", "⸁⸂", ".", '"', "&amp;", "|", "雨。", "\ud800"]),
        max_size=30,
    ),
    st.integers(0, 2**16),
)
def test_flags_change_nothing_of_what_is_read(parts: list[str], choice: int) -> None:
    text = "".join(parts)
    numbers = [1] * text.count("[1]")
    units = report(text, numbers).sections[0].units
    flagged = {unit.text: verdict() for place, unit in enumerate(units) if choice >> place & 1}
    with_flags = cleaned(written(report(text, numbers, flagged)))
    assert _letters(with_flags) == _letters(cleaned(written(report(text, numbers))))


def cleaned(page: str) -> str:
    """Return the HTML as a browser understands it, elements that cross each other put right."""
    return nh3.clean(page, tags=nh3.ALLOWED_TAGS | {"button"}, attributes={"span": {"class", "popover"}})


def _letters(page: str) -> str:
    """Return what is read, without flags, white space and marks of Markdown that a flag may keep apart."""
    return re.sub(r"partly supported|[\s*`|#>\\.-]", "", seen(page))


def test_a_page_is_written_from_a_report_that_has_lost_its_texts() -> None:
    bare = report("This is said [1].", 1).model_copy(update={"snapshots": []})
    assert read(written(bare)).xpath("//mark/text()") == ["One source says this."]


def test_a_number_in_code_takes_no_citation_away() -> None:
    page = read(written(report("The `a[1]` is code [1]. Another says that [2].", [1, 2])))
    assert [button.text for button in page.xpath(".//button[@class='marker']")] == ["1", "2"]


def test_a_paragraph_that_is_indented_is_no_code() -> None:
    page = read(written(report("One [1].\n\n    Two [2].\n\nThree [1].", [1, 2, 1])))
    assert [button.text for button in page.xpath(".//button[@class='marker']")] == ["1", "2", "1"]
    assert not page.xpath(".//code")
