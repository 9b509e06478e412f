"""What passages say of a claim, by words alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyglass.evidence.evidence import Evidence
from spyglass.kernel.source import Passage, Verdict

BEES = (
    "The western honey bee was first described by Linnaeus in 1758. A forager flies up to 6 km from the hive. "
    "It returns with 30 mg of nectar. Bees cannot see red light."
)
WASPS = "Paper wasps build their nests from wood fibre. A colony has about 25 workers in August."


def judge(claim: str, *passages: str | Passage) -> Verdict:
    return Evidence(passages).judge(claim)


def spanned(verdict: Verdict) -> str:
    assert verdict.span is not None
    return verdict.span.text


def test_the_very_words_are_supported_at_once() -> None:
    verdict = judge("A forager flies up to 6 km from the hive.", BEES)
    assert (verdict.verdict, verdict.score, verdict.method) == ("supported", 1.0, "verbatim")
    assert spanned(verdict) == "A forager flies up to 6 km from the hive."
    assert verdict.reasons == []


def test_the_same_in_other_words_is_supported() -> None:
    verdict = judge("Foragers of the honey bee fly up to 6 km from their hive.", BEES)
    assert verdict.verdict == "supported"
    assert "6 km" in spanned(verdict)


def test_another_number_is_a_contradiction_and_the_reason_says_which() -> None:
    verdict = judge("A forager flies up to 9 km from the hive.", BEES)
    assert verdict.verdict == "contradicted"
    assert verdict.score <= 0.1
    assert any("9 km" in str(reason) and "6 km" in str(reason) for reason in verdict.reasons)


def test_a_denial_that_the_source_does_not_make_is_not_supported() -> None:
    assert judge("Bees can see red light.", BEES).verdict != "supported"
    assert judge("A forager does not fly up to 6 km from the hive.", BEES).verdict != "supported"


def test_another_name_is_not_supported() -> None:
    verdict = judge("The western honey bee was first described by Darwin in 1758.", BEES)
    assert verdict.verdict != "supported"
    assert any("Darwin" in str(reason) for reason in verdict.reasons)


def test_an_invented_quotation_is_not_supported() -> None:
    verdict = judge('A forager flies up to 6 km, "farther than any bird would dare".', BEES)
    assert verdict.verdict != "supported"
    assert any("farther than any bird would dare" in str(reason) for reason in verdict.reasons)


def test_the_wrong_source_does_not_support() -> None:
    verdict = judge("A forager flies up to 6 km from the hive.", WASPS)
    assert verdict.verdict == "unsupported"
    assert verdict.reasons


def test_a_claim_may_rest_on_two_passages() -> None:
    claim = "A forager flies up to 6 km from the hive, while paper wasps build their nests from wood fibre."
    assert judge(claim, BEES, WASPS).verdict == "supported"
    for one in (BEES, WASPS):
        verdict = judge(claim, one)
        assert verdict.verdict == "partial"
        assert any("no support" in str(reason) for reason in verdict.reasons)


def test_a_half_that_nobody_said_makes_a_claim_partial() -> None:
    verdict = judge("A forager flies up to 6 km from the hive, but ancient mariners worshipped thunder gods.", BEES)
    assert verdict.verdict == "partial"
    assert any("mariners" in str(reason) for reason in verdict.reasons)


def test_the_columns_of_a_table_count_and_the_span_is_the_row() -> None:
    table = "| Method | Latency | Memory |\n| --- | --- | --- |\n| Fast | 5 ms | 20 MB |\n| Slow | 9 ms | 80 MB |\n"
    verdict = judge("The slow method has a latency of 9 ms.", table)
    assert verdict.verdict == "supported"
    assert spanned(verdict) == "| Slow | 9 ms | 80 MB |"
    assert judge("The slow method has a latency of 7 ms.", table).verdict != "supported"


def test_offsets_of_a_passage_are_those_of_its_snapshot() -> None:
    snapshot = f"Chapter one.\n\n{BEES}"
    start = snapshot.index(BEES)
    passage = Passage(text=BEES, start=start, end=start + len(BEES), heading="Bees")
    span = judge("It returns with 30 mg of nectar.", WASPS, passage).span
    assert span is not None
    assert span.passage == 1
    assert snapshot[span.start : span.end] == span.text == "It returns with 30 mg of nectar."


def test_only_the_passages_asked_for_are_looked_at() -> None:
    evidence = Evidence([BEES, WASPS])
    assert evidence.judge("It returns with 30 mg of nectar.", [1]).verdict == "unsupported"
    assert evidence.judge("It returns with 30 mg of nectar.", []).span is None
    assert evidence.judge("It returns with 30 mg of nectar.", {0}).verdict == "supported"


def test_the_best_passages_come_first() -> None:
    evidence = Evidence(["Nothing of interest.", WASPS, BEES])
    assert evidence.best("A colony of wasps has 25 workers and a hive.", 2) == [1, 2]
    assert evidence.best("Quantum chromodynamics") == []


def test_a_quote_that_occurs_fifty_times_is_found_where_the_rest_of_the_claim_is() -> None:
    lines = [f"Station {number} said: we saw no bees at all. It lies at {100 + number} m." for number in range(50)]
    verdict = judge("Station 37 said: we saw no bees at all.", "\n\n".join(lines))
    assert verdict.verdict == "supported"
    assert spanned(verdict).startswith("Station 37 said")


def test_what_says_it_in_quite_other_words_is_not_settled() -> None:
    verdict = judge("Collecting bees travel as far as 6 km away from home.", BEES)
    assert verdict.verdict == "unsettled"
    assert 0 < verdict.score < 1
    assert "6 km" in spanned(verdict)


def test_accents_may_be_written_in_two_ways() -> None:
    composed = "Le caf\u00e9 de la reine co\u00fbte 5 euros."
    decomposed = "Le cafe\u0301 de la reine cou\u0302te 5 euros."
    assert judge(composed, decomposed).verdict == "supported"
    verdict = judge(decomposed, composed)
    assert verdict.verdict == "supported"
    assert spanned(verdict) == composed


@pytest.mark.parametrize(
    ("text", "claim", "wrong"),
    [
        ("蜜蜂在蜂巢里跳舞。工蜂能飞行6公里。", "工蜂能飞行6公里。", "工蜂能飞行9公里。"),
        ("يرقص النحل في الخلية. تطير النحلة 6 كيلومترات.", "تطير النحلة 6 كيلومترات.", "تطير النحلة 9 كيلومترات."),
        ("הדבורים רוקדות בכוורת. הדבורה עפה 6 קילומטרים.", "הדבורה עפה 6 קילומטרים.", "הדבורה עפה 9 קילומטרים."),
    ],
)
def test_other_scripts_are_compared_by_words_and_numbers(text: str, claim: str, wrong: str) -> None:
    assert judge(claim, text).verdict == "supported"
    assert judge(wrong, text).verdict != "supported"


def test_words_settle_nothing_between_two_languages_and_that_is_said() -> None:
    german = judge("Die Sammlerin fliegt bis zu 6 km vom Stock.", BEES)
    assert german.verdict == "unsettled"
    assert any("different languages" in str(reason) for reason in german.reasons)


@pytest.mark.parametrize("passages", [[], [""], ["   \n\n  "], ["", "\u200f"]])
def test_no_text_supports_nothing(passages: list[str]) -> None:
    verdict = Evidence(passages).judge("A forager flies up to 6 km from the hive.")
    assert (verdict.verdict, verdict.score, verdict.span) == ("unsupported", 0.0, None)
    assert verdict.reasons


def test_a_text_of_many_pages_is_no_claim() -> None:
    verdict = judge("Bees dance in hives. " * 1_000, BEES)
    assert verdict.verdict == "unsupported"
    assert "one by one" in str(verdict.reasons[0])


@pytest.mark.parametrize("text", ["{} bees dance. ", "|{}|b|\n", "{}蜜蜂", "a\u0301{}", "[{}(", "{} "])
def test_a_million_characters_stay_bounded(text: str) -> None:
    pieces = (text.format(number) for number in range(1_000_000 // len(text)))
    passage = "".join(pieces)[:1_000_000] + " The queen lays 1,500 eggs a day. "
    verdict = judge("The queen lays 1,500 eggs a day.", passage)
    assert "1,500 eggs" in spanned(verdict)
    assert len(spanned(verdict)) < 2_000


def test_judging_again_gives_the_same() -> None:
    claims = ["A forager flies 6 km.", "Wasps have 25 workers, and bees see red.", "Linnaeus described bees in 1758."]
    first, other = Evidence([BEES, WASPS]), Evidence([BEES, WASPS])
    again = [other.judge(claim) for claim in reversed(claims)]
    assert [first.judge(claim) for claim in claims] == again[::-1]
    assert [first.judge(claim) for claim in claims] == again[::-1]


_PIECES = ["Bees", "fly 6 km", "7 km", "not", "“so it is”", "1758", ".", "\n\n", "| a | b |\n", "# ", "蜜蜂", "نحل"]
_PIECES += ["1e400 million", "a\u0301", "[1]", "*", "and", ", while", ";", "$5", "<b>", "`x`", "---\n"]
_TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join))


@settings(max_examples=150, deadline=None)
@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_any_text_is_judged_and_a_span_is_verbatim(claim: str, passages: list[str]) -> None:
    verdict = Evidence(passages).judge(claim)
    assert 0 <= verdict.score <= 1
    if verdict.span is None:
        assert verdict.verdict == "unsupported"
    else:
        assert passages[verdict.span.passage][verdict.span.start : verdict.span.end] == verdict.span.text
    if verdict.verdict != "supported":
        assert verdict.reasons


def test_what_looks_like_markup_in_a_claim_is_judged_as_a_reader_sees_it() -> None:
    evidence = Evidence(["The queen lays up to 2,000 eggs a day."])
    for hidden in ("<and Tesla lost 5 billion dollars>", "[x](and Tesla lost 5 billion dollars)"):
        assert evidence.judge(f"The queen lays up to 2,000 eggs a day {hidden}.").verdict != "supported"
