"""What passages say of a claim, by words alone, and the public door to that: claims, passages, verdicts."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spyglass
from spyglass import support, support_all
from spyglass.evidence.evidence import Evidence, may_be_supported, missing_facts
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
        assert any("not supported" in str(reason) for reason in verdict.reasons)


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


DANCE = "Foragers dance on the comb to tell the others where food is. They do it in the dark."


def test_a_paraphrase_in_other_words_is_not_settled_and_its_evidence_shown() -> None:
    verdict = support("By dancing, foragers show the rest where to find food.", [DANCE])
    assert (verdict.verdict, verdict.method) == ("unsettled", "words")
    assert verdict.span is not None
    assert verdict.span.text.startswith("Foragers dance")


def test_no_claim_needs_an_embedder() -> None:
    code = (
        "import sys; from spyglass import support\n"
        "print(support('They do it in the dark.', ['They do it in the dark.']).verdict,\n"
        "      support('A forager flies 7 km in an hour.', ['A forager flies 5 km in an hour.']).verdict,\n"
        "      'onnxruntime' in sys.modules, 'numpy' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["supported", "contradicted", "False", "False"]


def test_a_batch_answers_in_order() -> None:
    verdicts = support_all([("They do it in the dark.", [DANCE]), ("Wasps sting.", [DANCE])])
    assert [verdict.verdict for verdict in verdicts] == ["supported", "unsupported"]
    assert verdicts[0].method == "verbatim"


def test_nothing_gives_nothing() -> None:
    assert support_all([]) == []
    assert support("", []).verdict == "unsupported"
    assert support("Bees dance.", []).verdict == "unsupported"


def test_support_is_public() -> None:
    assert {"support", "support_all"} <= set(spyglass.__all__)


def test_the_opposite_is_not_supported() -> None:
    """Each claim differs from its source in what decides it, and in little else."""
    pairs = [
        ("The cache is off by default.", "The cache is on by default."),
        ("The lamp stays off at night.", "The lamp stays on at night."),
        ("Der Dienst ist standardmäßig aus.", "Der Dienst ist standardmäßig ein."),
        ("Der Dienst ist standardmäßig an.", "Der Dienst ist standardmäßig aus."),
        ("Water flows into the tank.", "Water flows out of the tank."),
        ("The committee voted for the motion.", "The committee voted against the motion."),
        ("The village lies north of the river.", "The village lies south of the river."),
        ("Only paying users may export.", "All users may export their data."),
        ("All users may export.", "Only paying users may export their data."),
        ("The function is open to everyone.", "The function is open to paying customers only."),
        ("The sample was kept at 5 °C.", "The sample was kept at −5 °C."),
        ("The sample was kept at −5 °C.", "The sample was kept at 5 °C."),
        ("The balance was -300 dollars.", "The balance was 300 dollars."),
        ("The company will keep its division.", "The company will spin off its division."),
        ("The firm acquired the plant.", "The firm sold the plant."),
        ("The road was built in 1950.", "The road was demolished in 1950."),
        ("Prices climbed in May.", "Prices tumbled in May."),
        ("A key has 2^128 values.", "A key has 2^256 possible values."),
        ("A key has 2128 values.", "A key has 2¹²⁸ values."),
        ("Sales reached 3M units.", "Sales reached 5M units."),
        ("Profit in fiscal 2021 was $3 million.", "Profit was $3 million in FY22."),
    ]
    assert [pair for pair in pairs if support(pair[0], [pair[1]]).verdict == "supported"] == []


def test_the_same_in_another_spelling_is_supported() -> None:
    pairs = [
        ("The sample was kept at −5 °C.", "The sample was kept at -5 °C for two days."),
        (
            "3M's capital expenditure was $1,577 million in 2018.",
            "In 2018 the capital expenditure of 3M was $1,577 million.",
        ),
        ("3M's share fell 2 percent.", "The share of the company fell 2 percent."),
        ("The hash has 2^64 values.", "The hash can take 2⁶⁴ values."),
        ("The hash has 2⁶⁴ values.", "The hash has 2^64 possible values."),
        ("It was signed on 3 May 2024.", "It was signed 2024-05-03."),
        ("It was signed on 2024-05-03.", "It was signed on May 3, 2024 in Rome."),
        ("Die Brücke wurde am 5. Juni 1999 eröffnet.", "Die Brücke wurde am 05.06.1999 eröffnet."),
        ("Revenue in fiscal year 2023 was $4.2 billion.", "Revenue was $4.2 billion in FY2023."),
        ("Profit in fiscal 2021 was $3 million.", "Profit was $3 million in FY21."),
        (
            "The best water has a temperature for maximum flavor.",
            "The best water has a temperature for maximum flavour.",
        ),
    ]
    assert [pair for pair in pairs if support(pair[0], [pair[1]]).verdict != "supported"] == []


def test_a_number_is_told_with_its_sign() -> None:
    (reason,) = support("The sample was kept at 5 °C.", ["The sample was kept at −5 °C."]).reasons
    assert str(reason) == "The number 5 °C is not in the source, which says -5 °C."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("No: vehicles longer than 9 metres cannot turn at the top.", "Vehicles longer than 9 metres cannot turn."),
        ("No, bees cannot see red light.", BEES),
        ("Nein: Lastwagen können oben nicht wenden.", "Lastwagen können oben nicht wenden."),
    ],
)
def test_a_no_before_a_denial_is_no_second_one(claim: str, source: str) -> None:
    assert judge(claim, source).verdict == "supported"


@pytest.mark.parametrize(
    "claim", ["No bees can see red.", "No: bees can see red.", "No, bees see red.", "Not bees see red."]
)
def test_a_no_before_what_does_not_deny_is_one(claim: str) -> None:
    assert judge(claim, "Bees can see red.").verdict in ("contradicted", "unsupported")


def test_the_sign_of_a_number_is_no_answer() -> None:
    assert judge("No. 10 has not five floors.", "Number 10 has not five floors.").verdict != "contradicted"


def test_what_the_source_says_word_by_word_lacks_nothing() -> None:
    source = (
        "They weren't released because the job was pointing to the old queue, and so had nothing to do and was happy."
    )
    assert judge("They weren't released because the job was pointing to the old queue.", source).verdict == "supported"
    assert judge("The job was pointing to the old queue.", "The job was never pointing to the old queue.").verdict != (
        "supported"
    )


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        ("On 12 November 2024 the limit in the dome is 18.", "The limit in the dome is 18.", "unsettled"),
        ("On 13 November 2024 the limit in the dome is 18.", "The limit in the dome is 18.", "unsupported"),
        ("In 2024 the limit in the dome was 18.", "The limit in the dome was 18.", "unsupported"),
        ("In November 2024 the limit in the dome was 18.", "The limit in the dome was 18.", "unsupported"),
        (
            "On 12 November 2024 the dome was limited to 25.",
            "On 14 May 2019 the dome was limited to 25.",
            "unsupported",
        ),
    ],
)
def test_the_very_date_of_a_heading_supports_a_claim_but_does_not_settle_it(
    claim: str, text: str, verdict: str
) -> None:
    minutes = Passage(text=text, start=0, end=len(text), heading="Minutes (2024-11-12) > 3 Safety")
    assert judge(claim, minutes).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Entry costs 3.", "Entry costs 3.50 euros."),
        ("The price of the ticket is 5.", "The price of the ticket is 5,000 euros."),
        ("Der Eintritt kostet 1.", "Der Eintritt kostet 1.200 Euro."),
    ],
)
def test_the_beginning_of_a_number_is_another_number(claim: str, source: str) -> None:
    assert judge(claim, source).verdict in ("unsupported", "contradicted")


CHARGES = "A deposit of £10 per head is due. Cancel within 24 hours: half. Vouchers last for 12 months. Rafts; ropes."


@pytest.mark.parametrize(
    ("claim", "question", "may"),
    [
        ("The deposit for twelve is £120, at £10 per head.", "What do twelve of us pay?", True),
        ("The deposit for twelve is £120, at £10 per head.", "", False),
        ("The deposit for twelve is £130, at £10 per head.", "What do twelve of us pay?", False),
        ("The deposit for twelve is £22, at £10 per head.", "What do twelve of us pay?", False),
        ("For a raft of 7 the deposit is £70, at £10 per head.", "What do twelve of us pay?", False),
        ("For twelve months it is £120, at £10 per head.", "What are twelve months?", True),
        ("Of £10 per head 25 percent are £2.50.", "What are 25 percent?", True),
        ("A head is £10, from 3 May to 9 October.", "How much is it on 3 May?", False),
        ("The deposit of £10 was due on 3 May 2025.", "What was due on 3 May 2025?", True),
        ("It lists two things: rafts and ropes.", "What is for hire?", True),
        ("It lists 300 things: rafts and ropes.", "What is for hire?", False),
        ("Bought in May 2025, it lasts until May 2026.", "How long is one of May 2025 good?", True),
        ("It lasts until May 2026.", "How long is one of May 2025 good?", False),
        ("The deposit is due to Ada Zorn.", "What is due?", False),
    ],
)
def test_what_may_be_worked_out_from_what_is_given_may_be_supported(claim: str, question: str, may: bool) -> None:
    passage = Passage(text=CHARGES, start=0, end=len(CHARGES), heading="Charges")
    verdict = Verdict(verdict="unsupported", score=0.1)
    assert may_be_supported(claim, verdict, [passage], question) is may


@pytest.mark.parametrize(
    ("claim", "source"),
    [("All queens lay eggs in spring.", "Most queens lay eggs in spring."), ("It cures pain.", "It may cure pain.")],
)
def test_what_says_more_than_its_source_is_not_supported_in_full(claim: str, source: str) -> None:
    passage = Passage(text=source, start=0, end=len(source))
    verdict = judge(claim, passage)
    assert verdict.verdict == "partial"
    assert not may_be_supported(claim, verdict, [passage])


def test_a_part_that_says_more_than_its_source_is_told() -> None:
    evidence = Evidence(["Bees forage in July. They rest. The hive is dark. It is warm. Honey may cure a sore throat."])
    assert evidence.overstates("Bees forage in July; honey cures a sore throat.")
    assert not evidence.overstates("Bees forage in July; honey may cure a sore throat.")


def test_a_count_is_none_where_the_source_has_another_number() -> None:
    passage = Passage(text="The board has seven members.", start=0, end=28)
    verdict = judge("The board has nine members.", passage)
    assert not may_be_supported("The board has nine members.", verdict, [passage], "How many sit on the board?")


def test_the_facts_that_no_passage_has_are_told() -> None:
    passage = Passage(text=CHARGES, start=0, end=len(CHARGES), heading="Charges (2025-03-01)")
    said = "From 1 March 2025 the deposit is £10, or £15 with Ada Zorn."
    assert missing_facts(said, [passage]) == ["£15", "Ada Zorn"]
    assert missing_facts("", [passage]) == missing_facts("", []) == []


def test_a_number_of_two_words_before_a_unit_is_one() -> None:
    source = "The term is twenty-one years, beginning on 29 September 2014."
    assert support("The twenty-one-year term begins on 29 September 2014.", [source]).verdict != "unsupported"
    assert support("The twenty-two-year term begins on 29 September 2014.", [source]).verdict == "contradicted"
