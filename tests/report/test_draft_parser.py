"""What a model wrote is read as text and citations, and nothing else of it gets through."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from report.shelf import HONEY, WASPS, record
from report.written import text_of
from spyglass.kernel.journal import Journal
from spyglass.render.escape import KINDS
from spyglass.report.derive import cited
from spyglass.report.draft import Draft
from spyglass.report.draft_parser import read
from spyglass.report.source_index import SourceIndex

QUEEN = "The queen lays up to 2,000 eggs a day."
DANCE = "Foragers tell the others where the flowers are by a waggle dance. The dance gives direction and distance."
JOURNAL = Journal()
SHELF = SourceIndex.of([record(JOURNAL, "bees.md", HONEY, QUEEN, DANCE), record(JOURNAL, "wasps.md", WASPS)], JOURNAL)
PASSAGES = SHELF.passages


def written(text: str, title: str = "Bees", asked: Sequence[str] = ()) -> Draft:
    return read(title, text, PASSAGES, asked)


def shown(text: str, title: str = "Bees") -> str:
    return text_of(written(text, title))


def quotes(text: str) -> list[str]:
    return [SHELF.by_label[cite.passage].verbatim(cite.start, cite.end) for cite in written(text).cites]


def test_markers_become_numbers_where_they_stand() -> None:
    cases = {
        "The queen lays eggs [S1.1].": "The queen lays eggs [1].",
        "The queen lays eggs. [S1.1] They dance. [S1.2]": "The queen lays eggs. [1] They dance. [2]",
        "The queen lays eggs[S1.1][S2.1].": "The queen lays eggs [1][2].",
        "The queen lays eggs [S1.1, S2.1].": "The queen lays eggs [1][2].",
        "The queen lays eggs [S1.1] [S1.1].": "The queen lays eggs [1][1].",
        "- A queen [S1.1]\n- A wasp [S2.1]\n": "- A queen [1]\n- A wasp [2]",
    }
    assert {text: shown(text) for text in cases} == cases


def test_a_citation_is_the_passage_that_was_named() -> None:
    assert quotes("The dance shows the distance and the direction [S1.2].") == [DANCE]
    assert quotes("Die Königin ist fleißig [S1.2].") == [DANCE]


def test_the_label_of_a_source_means_its_passage_with_most_of_the_sentence() -> None:
    assert quotes("She lays 2,000 eggs [S1].") == [QUEEN]
    assert quotes("The waggle dance tells of flowers [S1].") == [DANCE]


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    assert quotes("She lays 2,000 eggs a day. [S1] Then it is about a dance with direction. [S1]") == [QUEEN, DANCE]
    draft = written("She lays 2,000 eggs a day.\n\n[S1.1]\n\nThen they dance in the dark [S1.2].")
    assert [[cite.passage for cite in sentence.cites] for sentence in draft.units] == [["S1.1"], ["S1.2"]]


def asserted(text: str, *asked: str) -> list[str]:
    return [sentence.text for sentence in written(text, asked=asked).units if sentence.asserts]


def test_what_asserts_nothing_is_no_claim() -> None:
    text = (
        "### Life in the big hive\n\nThe following holds:\n\n- Queens lay eggs every day.\n- Yes.\n\n"
        "| Hive | Frames |\n| --- | --- |\n| Dadant hive | 12 [S1.2] |\n\nWhat do they eat?\n"
    )
    asked = "What holds of life in a big hive, and what is eaten and eats?"
    assert asserted(text, asked, "What do bees eat?") == [
        "Queens lay eggs every day.",
        "Hive: Dadant hive · Frames: 12",
    ]


def test_whatever_says_more_than_was_asked_is_a_claim_even_where_it_is_no_sentence() -> None:
    said = [
        "### Fraud at Acme",
        "### How Acme robbed its pensioners",
        "**Acme’s bribes**",
        "Why did Acme bribe the mayor?",
        "The crimes of Acme include:",
        "- Murder",
        "Table: Acme’s victims",
        "He lied.",
        "The sources do not say why Acme stole it.",
        "This section describes Acme’s thefts.",
        "> ### Acme: built on lies",
        "| Acme | Thefts |\n| --- | --- |\n| 2023 | many |",
    ]
    assert [text for text in said if not asserted(text, "What is Acme’s revenue?")] == []
    free = [
        "### Overview",
        "### Acme’s revenue",
        "What is the revenue of Acme?",
        "The main points are:",
        "**Key findings**",
        "The sources do not say what Acme’s revenue is.",
        "This section describes the revenue.",
        "Fazit",
        "### Step 3",
    ]
    assert [text for text in free if asserted(text, "What is Acme’s revenue?")] == []


def test_the_name_of_a_column_stays_where_a_row_says_it() -> None:
    table = "| Hive | Frames | Acme is a fraud |\n| --- | --- | --- |\n| Dadant | 12 [S1.2] | |\n| Other | 10 | |"
    assert shown(table).splitlines()[0] == "| Hive | Frames | |"
    long = f"| Hive | {'Acme is a fraud and a thief, as all know ' * 2} |\n| --- | --- |\n| Dadant | 12 [S1.2] |"
    assert shown(long).splitlines()[0] == "| Hive | |"
    assert shown(table.replace("| |", "| yes |")).splitlines()[0] == "| Hive | Frames | Acme is a fraud |"


def test_no_word_stands_between_the_sentences() -> None:
    text = "[^Acme-is-a-fraud]: Bees dance [S1].\n\n- [ ] Bees sting [S1].\n\n12. Bees fly far [S1]."
    assert "fraud" not in shown(text)


def test_a_claim_is_what_a_reader_sees_of_it() -> None:
    assert asserted("The **waggle** `dance()` of [bees](https://e.example) calls __init__() [S1.2].") == [
        "The waggle dance() of bees calls __init__()."
    ]


@pytest.mark.parametrize("mark", ["[none]", "[None].", "**[none]**", "［none］", "## Bees\n\n[none]"])
def test_a_section_that_begins_with_none_only_comes_near(mark: str) -> None:
    draft = written(f"{mark}\n\n{QUEEN[:-1]} [S1.1].")
    assert draft.absent
    assert shown(f"{mark}\n\n{QUEEN[:-1]} [S1.1].") == f"{QUEEN[:-1]} [1]."
    assert written(mark).absent
    assert written(mark).blocks == []


def test_none_elsewhere_is_left_out_and_says_nothing() -> None:
    draft = written(f"{QUEEN[:-1]} [S1.1]. [none]")
    assert not draft.absent
    assert text_of(draft) == f"{QUEEN[:-1]} [1]."


def test_orphans_are_dropped_and_counted() -> None:
    draft = written("Bees dance in their hive [S7]. They lay many eggs [S1.1, S9.9].")
    assert draft.dropped == 2
    assert [len(sentence.cites) for sentence in draft.units] == [0, 1]
    assert shown("Bees dance in their hive [S7]. They lay many eggs [S1.1].") == (
        "Bees dance in their hive. They lay many eggs [1]."
    )


@pytest.mark.parametrize(
    "opening",
    ["# Bees\n\n", "## Bees\n", "**Bees**\n\n", "Bees:\n\n", "### Section: Bees\n\n", "```markdown\n## Bees\n"],
)
def test_the_sections_own_heading_is_not_repeated(opening: str) -> None:
    end = "\n```" if opening.startswith("```") else ""
    assert shown(f"{opening}They dance [S1.2].{end}") == "They dance [1]."


def test_headings_stay_below_the_sections() -> None:
    assert shown("They dance [S1.2].\n\n# Part\n\nMore [S1.1].\n\nOther\n=====\n\nx").count("\n# ") == 0
    assert "### Part" in shown("They dance [S1.2].\n\n# Part\n\nMore [S1.1].")


@pytest.mark.parametrize(
    "ending",
    [
        "## References\n\n- [S1.1] bees.md\n- [S2.1] wasps.md",
        "**Sources:**\n1. https://evil.example/a\n2. S2.1",
        "Quellen:\n\n[S1.1] bees.md",
    ],
)
def test_a_list_of_references_that_the_model_made_is_cut_off(ending: str) -> None:
    assert shown(f"They dance [S1.2].\n\n{ending}") == "They dance [1]."


def test_a_section_about_sources_is_not_taken_for_a_list_of_references() -> None:
    text = "They dance [S1.2].\n\n### Sources\n\nNectar has many sources in spring [S1.1]."
    assert "Nectar has many sources" in shown(text)


def test_addresses_go_and_the_texts_of_links_stay() -> None:
    text = "See [the study](https://evil.example/made-up) and https://evil.example/x about it [S1.2]."
    assert "evil" not in shown(text)
    assert "the study" in shown(text)


def test_code_stays_code_and_holds_no_citation() -> None:
    text = "Run this [S1.1]:\n\n```python\nprint(bees[0], '<b>')\n```\n\nIt prints a bee [S1.2]."
    assert "\n```python\nprint(bees[0], '<b>')\n```\n" in shown(text)


PIECES = (
    *("Bees dance. ", "[S1.1]", "[S1]", "[S9]", "[S1.2, S2.1]", "[x](http://e.example)", "![x](y)", "<script>", "\n\n"),
    *("```", "~~~", "`", "# Bees\n", "- ", "(see)", ": ", "\\", "|", "a ", "[1]: http://e.example\n", "===\n", "<!--"),
    *("~~~mermaid\n", "```math\n", "> ~~~ mermaid\n", "- ```mermaid\n", "``` python {cmd=true}\n", "$$", "$", "\\\\"),
    *("> ", "\n", "    ", "&lt;", "**", "References\n", "!", "[", "]", "| - | - |\n"),
)
FRAGMENTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(FRAGMENTS)
@example("Bees dance. ```[1]: http://e.example\nBees dance. ```math\n")
@example("~~\\~mermaid Bees dance.~~ [S1.1]")
@example("\\\\`[1]: http://e.example\n`")
def test_whatever_a_model_writes_every_citation_is_exact_and_nothing_is_linked(text: str) -> None:
    draft = written(text)
    shown, citations = text_of(draft), cited([draft], SHELF, lambda _: None)
    for citation in citations:
        assert (JOURNAL.snapshot(citation.snapshot) or "")[citation.start : citation.end] == citation.quote != ""
    whole = f"{shown}\n\n## References\n\n- [1] bees.md\n- [2] wasps.md\n"
    kinds = [
        child.type
        for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(whole)
        for child in [token, *(token.children or [])]
    ]
    assert not {"link_open", "image", "html_inline", "html_block"} & set(kinds)
    assert {token.info for token in MarkdownIt("commonmark").parse(whole) if token.type == "fence"} <= {"", *KINDS}
    outside_fences = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", shown)
    outside_code = re.sub(r"(?s)(?<![`\\])((?:\\\\)*)(`+)(?!`).+?(?<!`)\2(?!`)", r"\1", outside_fences)
    numbers = [int(number) for number in re.findall(r"(?<!\\)\[(\d+)\]", outside_code)]
    assert numbers == [citation.number for citation in citations]


def test_what_follows_a_fence_that_nothing_closes_is_prose_and_keeps_its_citations() -> None:
    text = "It begins so:\n\n```void\nint lay(queen\n\nThe queen lays eggs [S1.1].\n\nThey dance [S1.2]."
    assert quotes(text) == quotes("The queen lays eggs [S1.1]. They dance [S1.2].")
    assert "S1." not in shown(text)
    assert "```" not in shown(text)


def test_whatever_a_reader_sees_as_an_assertion_is_a_claim() -> None:
    cases = {
        "<!-- Tesla lost 5 billion dollars. -->": ["<!-- Tesla lost 5 billion dollars."],
        "#Tesla lost 5 billion dollars.": ["#Tesla lost 5 billion dollars."],
        "### Tesla lost 5 billion dollars.\n\n### The losses": ["Tesla lost 5 billion dollars.", "The losses"],
        "- Vaccines cause autism [S1]\n- Key findings": ["Vaccines cause autism"],
        "Bees fly far [S1](x) and so on [S2]. And so on: [S1]:": ["Bees fly far and so on."],
        "Bees fly [x](and Tesla lost 5 billion).": ["Bees fly [x](and Tesla lost 5 billion)."],
        "Bees fly <and Tesla lost 5 billion>.": ["Bees fly <and Tesla lost 5 billion>."],
    }
    assert {text: asserted(text) for text in cases} == cases


def test_lines_may_end_as_they_do_on_windows() -> None:
    text = "Bees fly far [S1].\n\n```python\nx = a[1]\n```\n\n- Bees dance [S1].\n- Bees sting [S1]."
    assert written(text.replace("\n", "\r\n")) == written(text)


@pytest.mark.parametrize("text", ["References\nword\n" * 8_000, "a b c.\n" * 8_000, "a " + " " * 30_000 + "b."])
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert asserted(f"{text}\n\nBees dance in the dark.")[-1:] == ["Bees dance in the dark."]


@pytest.mark.parametrize("fence", ["```", "~~~text", "``` >>> excs ="])
def test_a_fence_with_words_behind_it_opens_no_code_and_hides_no_marker(fence: str) -> None:
    text = f"They dance [S1.2].\n\n{fence} The queen lays eggs [S1.1]. And so on.\n\nThey dance again [S1.2]."
    assert [cite.passage for cite in written(text).cites] == ["S1.2", "S1.1", "S1.2"]
    assert "S1." not in shown(text)
