"""The public door: claims, passages, verdicts."""

import subprocess
import sys

import spyglass
from spyglass import support, support_all

BEES = "Foragers dance on the comb to tell the others where food is. They do it in the dark."


def test_a_paraphrase_in_other_words_is_not_settled_and_its_evidence_shown() -> None:
    verdict = support("By dancing, foragers show the rest where to find food.", [BEES])
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
    verdicts = support_all([("They do it in the dark.", [BEES]), ("Wasps sting.", [BEES])])
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
        ("Water flows into the tank.", "Water flows out of the tank."),
        ("The committee voted for the motion.", "The committee voted against the motion."),
        ("The village lies north of the river.", "The village lies south of the river."),
        ("Only paying users may export.", "All users may export their data."),
        ("All users may export.", "Only paying users may export their data."),
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
