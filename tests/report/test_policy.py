"""What its sources do not support leaves the report, or is marked, and the text around it stays whole."""

from hypothesis import example, given
from hypothesis import strategies as st

from report.shelf import HONEY, WASPS, record
from report.written import text_of
from spyglass.evidence.reason import OTHERWISE
from spyglass.kernel.journal import Journal
from spyglass.kernel.settings import Policy
from spyglass.kernel.source import Support, Verdict
from spyglass.markup import Unit, mapped, walk, without
from spyglass.report.draft import Draft
from spyglass.report.draft_parser import read
from spyglass.report.policy import settled
from spyglass.report.report import claims_of
from spyglass.report.source_index import SourceIndex

ASKED = ["Who are bees, wasps and drones, and what are nests?"]
JOURNAL = Journal()
SHELF = SourceIndex.of([record(JOURNAL, "bees.md", HONEY), record(JOURNAL, "wasps.md", WASPS)], JOURNAL)


def judged(text: str, *verdicts: Support) -> Draft:
    """Return the draft of a text whose claims have these verdicts, in order."""
    draft, left = read("Bees", text, SHELF.passages, ASKED), list(verdicts)

    def with_verdict(unit: Unit) -> Unit:
        return unit.judged(Verdict(verdict=left.pop(0), score=0.5, reasons=[OTHERWISE])) if unit.asserts else unit

    blocks = mapped(draft.blocks, with_verdict)
    assert not left
    return Draft(title=draft.title, blocks=blocks)


def shown(draft: Draft) -> str:
    return text_of(draft)


def after(text: str, *verdicts: Support, policy: Policy = "strict") -> str:
    return shown(settled(judged(text, *verdicts), policy, SHELF.by_label)[0])


def test_under_strict_what_fails_goes_and_what_is_partly_supported_is_marked() -> None:
    text = (
        "Bees dance on the comb [S1]. Wasps sing in the rain [S2]. Queens lay many eggs [S1]. Drones never work [S1]."
    )
    assert after(text, "supported", "unsupported", "partial", "contradicted") == (
        "Bees dance on the comb [1]. Queens lay many eggs [1]. *(partly supported)*"
    )


def test_what_went_is_listed_with_its_reasons() -> None:
    text = "Bees dance on the comb [S1]. Wasps sing in the rain [S2]."
    (gone,) = settled(judged(text, "supported", "unsupported"), "strict", SHELF.by_label)[1]
    assert (gone.section, gone.text, gone.verdict, gone.reasons) == (
        "Bees",
        "Wasps sing in the rain.",
        "unsupported",
        [OTHERWISE],
    )


def test_under_mark_everything_stays_and_says_what_it_is() -> None:
    text = "Bees dance on the comb [S1]. Wasps sing in the rain [S2]. Queens lay many eggs. Drones never work [S1]."
    assert after(text, "partial", "unsupported", "unsupported", "contradicted", policy="mark") == (
        "Bees dance on the comb [1]. *(partly supported)* Wasps sing in the rain [2]. *(not supported by its sources)* "
        "Queens lay many eggs. *(no source)* Drones never work [1]. *(contradicted by its source)*"
    )


def test_under_off_nothing_is_judged() -> None:
    draft, _ = settled(judged("Wasps sing in the rain [S2].", "unsupported"), "off", SHELF.by_label)
    assert text_of(draft) == "Wasps sing in the rain [1]."
    assert [claim.verdict for claim in claims_of([draft])] == ["unchecked"]


BEES, WASPS_, DRONES = "Bees dance a lot here.", "Wasps sing in rain.", "Drones do not work."
HEAD = "| Who | What |\n| --- | --- |\n"


def test_nothing_is_left_that_only_the_removed_sentence_gave_a_reason_for() -> None:
    cases = {
        f"- {BEES}\n- {WASPS_}\n- {DRONES}": f"- {BEES}\n- {DRONES}",
        f"{BEES}\n\n{WASPS_}\n\n{DRONES}": f"{BEES}\n\n{DRONES}",
        f"{BEES}\n{WASPS_}\n{DRONES}": f"{BEES} {DRONES}",
        f"- {BEES} {WASPS_}\n- {DRONES}": f"- {BEES}\n- {DRONES}",
        f"1. {BEES}\n2. {WASPS_} {DRONES}": f"1. {BEES}\n2. {DRONES}",
        f"{BEES}\n\n### Wasps\n\n{WASPS_}\n\n### Drones\n\n{DRONES}": f"{BEES}\n\n### Drones\n\n{DRONES}",
        f"{BEES}\n\n- {WASPS_}\n\n{DRONES}": f"{BEES}\n\n{DRONES}",
        f"{BEES}\n\n{HEAD}| Wasps | sing loud |\n\n{DRONES}": f"{BEES}\n\n{DRONES}",
        f"{HEAD}| Bees | dance |\n| Wasps | sing |\n| Drones | rest |": f"{HEAD}| Bees | dance |\n| Drones | rest |",
    }
    assert {text: after(text, "supported", "unsupported", "supported") for text in cases} == cases


def test_a_draft_whose_sentences_all_go_is_empty() -> None:
    assert after("### Wasps\n\n- Wasps sing in rain.\n- Drones do not work.", "unsupported", "contradicted") == ""


def test_emphasis_that_spans_a_removed_sentence_stays_on_what_is_left() -> None:
    text = "**Bees dance a lot here. Wasps sing in rain.** Drones do not work."
    assert after(text, "supported", "unsupported", "supported") == "**Bees dance a lot here.** Drones do not work."


PIECES = st.sampled_from(
    [
        "Bees dance here. ",
        "Wasps sing there.",
        "- ",
        "\n",
        "\n\n",
        "### Nests\n\n",
        "1. ",
        "> ",
        "**",
        "| a b c | d |\n",
    ]
)


@example("- - | a b c | d |\n| a b c | d |\n- - ", 2)
@given(st.lists(PIECES, max_size=16).map("".join), st.integers(0, 2**16))
def test_removing_takes_the_chosen_sentences_and_no_others(text: str, choice: int) -> None:
    draft = read("Bees", text, SHELF.passages, ASKED)
    goes = [one for number, one in enumerate(draft.units) if one.asserts and choice >> number & 1]
    left = without(draft.blocks, lambda one: any(one is other for other in goes))
    kept = [one.text for one in draft.units if one.asserts and not any(one is other for other in goes)]
    assert [one.text for one in walk(left) if one.asserts] == kept


def test_code_is_removed_marked_or_left_as_a_sentence_is() -> None:
    text = "Bees dance on the comb [S1].\n\n```python\nprint(7)\n```\nQueens lay eggs here."
    verdicts: tuple[Support, ...] = ("supported", "unsupported", "supported")
    draft, removed = settled(judged(text, *verdicts), "strict", SHELF.by_label)
    assert shown(draft) == "Bees dance on the comb [1].\n\nQueens lay eggs here."
    assert [gone.text for gone in removed] == ["print(7)"]
    marked = "```python\nprint(7)\n```\n*(no source)*\n\nQueens lay eggs here."
    assert after(text, *verdicts, policy="mark") == f"Bees dance on the comb [1].\n\n{marked}"
    assert "print(7)" in after(text, *verdicts, policy="off")
