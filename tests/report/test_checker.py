"""Every sentence is held against its sources, and its citations end up on the words that support it."""

from hypothesis import given
from hypothesis import strategies as st

from report.shelf import HIVES, HONEY, WASPS, record
from spyglass.kernel.journal import Journal
from spyglass.kernel.source import Verdict
from spyglass.markup import CodeBlock, Paragraph, Unit
from spyglass.ranking import RankedCandidate, Ranking
from spyglass.report.checker import Checker
from spyglass.report.derive import cited
from spyglass.report.draft import Draft
from spyglass.report.draft_parser import read
from spyglass.report.extractive import Extractor
from spyglass.report.quotable import quotable
from spyglass.report.report import claims_of
from spyglass.report.source_index import SourceIndex

QUEEN = "The queen lays up to 2,000 eggs a day."
DANCE = "Foragers tell the others where the flowers are by a waggle dance. The dance gives direction and distance."
JOURNAL = Journal()
SHELF = SourceIndex.of(
    [
        record(JOURNAL, "bees.md", HONEY, QUEEN, DANCE),
        record(JOURNAL, "wasps.md", WASPS),
        record(JOURNAL, "hives.md", HIVES),
    ],
    JOURNAL,
)
LABEL = {passage.source.path + passage.passage.text[:9]: passage.label for passage in SHELF.passages}
QUEEN_S, DANCE_S = (next(label for name, label in LABEL.items() if text[:9] in name) for text in (QUEEN, DANCE))
WASPS_S = next(label for name, label in LABEL.items() if name.startswith("wasps"))


def judged(text: str) -> Draft:
    return Checker(SHELF).judged(read("Bees", text, SHELF.passages))


def only(text: str) -> Unit:
    (sentence,) = judged(text).units
    return sentence


def verdict(text: str) -> Verdict:
    found = only(text).verdict
    assert found is not None
    return found


def quotes(sentence: Unit, index: SourceIndex = SHELF) -> list[str]:
    return [index.by_label[cite.passage].verbatim(cite.start, cite.end) for cite in sentence.cites]


def test_a_citation_is_anchored_on_the_words_that_support_the_sentence() -> None:
    sentence = only(f"The dance gives distance and direction [{DANCE_S}].")
    assert quotes(sentence) == ["The dance gives direction and distance."]
    assert sentence.verdict is not None
    assert sentence.verdict.verdict == "supported"


def test_what_has_the_date_of_its_document_is_supported_in_part() -> None:
    journal = Journal()
    dated = SourceIndex.of([record(journal, "bees.md", HONEY, published="2024-03-12")], journal)
    said = {"12 March 2024": "partial", "13 March 2024": "unsupported"}
    for day, expected in said.items():
        (unit,) = (
            Checker(dated).judged(read("B", f"On {day} the queen lays up to 2,000 eggs [S1].", dated.passages)).units
        )
        assert unit.verdict is not None
        assert unit.verdict.verdict == expected, unit.verdict


def test_a_sentence_that_cites_the_wrong_passage_cites_the_right_one_then() -> None:
    sentence = only(f"The queen lays up to 2,000 eggs a day [{WASPS_S}].")
    assert quotes(sentence) == [QUEEN]
    assert sentence.text.startswith("The queen lays")


def test_a_sentence_without_a_marker_is_cited_when_something_read_supports_it() -> None:
    assert quotes(only("The queen lays up to 2,000 eggs a day.")) == [QUEEN]


def test_of_two_citations_the_one_that_does_not_say_it_goes() -> None:
    assert quotes(only(f"The queen lays up to 2,000 eggs a day [{QUEEN_S}][{WASPS_S}].")) == [QUEEN]


def test_of_two_citations_that_do_not_say_it_all_the_one_with_further_words_of_it_stays() -> None:
    text = "Up to 2,000 eggs a day are laid by the queen, who never chews any wood, as her keeper knows"
    assert [cite.passage for cite in only(f"{text} [{QUEEN_S}][{WASPS_S}].").cites] == [QUEEN_S, WASPS_S]
    text = "Up to 2,000 eggs a day are laid by the queen, as her keeper knows"
    assert [cite.passage for cite in only(f"{text} [{QUEEN_S}][{WASPS_S}].").cites] == [QUEEN_S]


def test_an_altered_number_is_not_supported() -> None:
    found = verdict(f"The queen lays up to 3,000 eggs a day [{QUEEN_S}].")
    assert found.verdict in ("unsupported", "contradicted")
    assert any("3,000" in str(reason) for reason in found.reasons)


def test_what_nobody_wrote_is_unsupported_wherever_it_points() -> None:
    assert verdict(f"Submarines were invented by Ada Zorn in 1842 [{QUEEN_S}].").verdict == "unsupported"
    assert verdict("Submarines were invented by Ada Zorn in 1842.").verdict == "unsupported"


def test_what_asserts_nothing_has_no_verdict() -> None:
    assert [sentence.verdict for sentence in judged("### Key findings\n\nWhat are the reasons?").units] == [
        None,
        None,
    ]


def test_quotes_are_supported_by_their_own_words_rows_of_tables_too() -> None:
    rows = [one.order for one in quotable(SHELF) if one.statement.kind == "row"]
    every = Ranking(tuple(RankedCandidate(row, 1.0) for row in rows), 1.0, 1.0, "answered", absent=False)
    draft = Extractor(SHELF, "long", {"How many frames does each hive have?": every}).section("", list(SHELF.by_id))
    assert draft is not None
    checked = Checker(SHELF).judged(draft)
    assert any(sentence.text.startswith("Hive:") for sentence in checked.units)
    assert {sentence.verdict.verdict for sentence in checked.units if sentence.verdict} == {"supported"}


def test_a_row_of_numbers_is_supported_below_the_name_of_its_file() -> None:
    prices = "Item,Week (£),Weekend (£)\nHall per hour,14.00,17.00\nStage for a day,80.00,95.00\n"
    index = SourceIndex.of([record(JOURNAL, "prices from april 2025", prices)], JOURNAL)
    (row, _) = quotable(index)
    said = row.sentence("prices from april 2025: ")
    (judged_row,) = Checker(index).judged(Draft(title="", blocks=[Paragraph(sentences=[said])], quoted=True)).units
    assert judged_row.verdict is not None
    assert (judged_row.verdict.verdict, judged_row.verdict.method) == ("supported", "verbatim")


WORDS = st.sampled_from(
    [*HONEY.split(), *WASPS.split(), f"[{QUEEN_S}]", "[S2]", "[S9]", ".", "\n\n", "- ", "**", "2,001"]
)


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_whatever_is_written_every_citation_is_verbatim_and_every_claim_has_a_verdict(text: str) -> None:
    draft = judged(text)
    claims = claims_of([draft])
    for citation in cited([draft], SHELF, lambda _: None):
        assert (JOURNAL.snapshot(citation.snapshot) or "")[citation.start : citation.end] == citation.quote != ""
    assert all(claim.verdict != "unchecked" for claim in claims)
    assert all(claim.citations for claim in claims if claim.verdict in ("supported", "partial"))


def test_a_heading_a_question_and_a_lead_in_that_state_a_number_are_judged() -> None:
    heading, question = "### Wasps killed 40 people in 1871", "Why did 500 wasps attack the mayor?"
    text = f"{heading}\n\n{question}\n\nThese 9 wasps were shot in Orsa:\n"
    assert {sentence.verdict.verdict for sentence in judged(text).units if sentence.verdict} <= {
        "unsupported",
        "contradicted",
    }
    assert all(sentence.asserts for sentence in judged(text).units)


CODE = "```sh\ngit clone hives\ncd hives\n```"
BUILD = f"# Build\n\nFirst clone:\n\n{CODE}\n\nThen run `make all` there.\n" + "More on the build. " * 60
OTHER = "# Notes\n\nThe token is:\n\n    export TOKEN=abc\n\nRun `make all-in` to fetch it.\n"


def coded(code: str) -> tuple[Unit, SourceIndex]:
    journal = Journal()
    halves = [BUILD[: BUILD.index("cd hives")], BUILD[BUILD.index("cd hives") :]]
    found = [record(journal, "build.md", BUILD, *halves), record(journal, "notes.md", OTHER)]
    source_index = SourceIndex.of(found, journal)
    text = f"So it is built:\n\n```mermaid\n{code}\n```"
    draft = Checker(source_index).judged(read("Build", text, source_index.passages))
    return next(one for one in draft.units if isinstance(one, CodeBlock)), source_index


def test_code_is_supported_by_the_one_source_that_has_it_whole() -> None:
    cases = {
        "git clone hives\n  cd hives": "git clone hives\n",  # what lies in the passage where it begins
        "cd hives": "cd hives",
        "make all": "make all",
        "export TOKEN=abc": "export TOKEN=abc",
        "git clone hives\nexport TOKEN=abc": "",
        "git clone hives\nmake all": "",
        "make all-": "",
        "export TOKEN=abcd": "",
        "clone hive": "",
    }
    judged = {code: coded(code) for code in cases}
    assert {code: "".join(quotes(*one)) for code, one in judged.items()} == cases
    assert [one.verdict.verdict if one.verdict else "" for one, _ in judged.values()] == ["supported"] * 4 + [
        "unsupported"
    ] * 5


def test_each_of_two_halves_keeps_its_own_citation() -> None:
    text = f"The queen lays up to 2,000 eggs a day [{QUEEN_S}]; wasps chew wood into paper [{WASPS_S}]."
    assert [cite.passage for cite in only(text).cites] == [QUEEN_S, WASPS_S]
