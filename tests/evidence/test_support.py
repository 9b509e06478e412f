"""The public door: claims, passages, verdicts."""

import subprocess
import sys

import spyglass
from spyglass import support, support_all
from spyglass.evidence.meaning import MOST_EMBEDDED

BEES = "Foragers dance on the comb to tell the others where food is. They do it in the dark."


def test_a_paraphrase_is_supported_by_its_meaning() -> None:
    verdict = support("By dancing, foragers show the rest where to find food.", [BEES])
    assert verdict.verdict == "supported"
    assert verdict.method == "meaning"
    assert verdict.span is not None
    assert verdict.span.text.startswith("Foragers dance")


def test_what_is_clear_needs_no_embedder() -> None:
    code = (
        "import sys; from spyglass import support\n"
        "print(support('They do it in the dark.', ['They do it in the dark.']).verdict,\n"
        "      support('A forager flies 7 km in an hour.', ['A forager flies 5 km in an hour.']).verdict,\n"
        "      'onnxruntime' in sys.modules, 'numpy' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["supported", "contradicted", "False", "False"]


def test_a_batch_answers_in_order_and_embeds_only_so_many() -> None:
    doubtful = ("By dancing, foragers show the rest where to find food.", [BEES])
    claims = [("They do it in the dark.", [BEES]), *[doubtful] * (MOST_EMBEDDED + 5), ("Wasps sting.", [BEES])]
    verdicts = support_all(claims)
    assert verdicts[0].method == "verbatim"
    assert sum(verdict.method == "meaning" for verdict in verdicts) == MOST_EMBEDDED
    assert sum(verdict.doubtful for verdict in verdicts) == 5
    assert verdicts[-1].verdict == "unsupported"


def test_a_claim_that_is_not_english_is_not_embedded() -> None:
    verdict = support("Die Sammlerinnen zeigen tanzend den anderen das Futter.", ["Die Bienen tanzen für Futter."])
    assert verdict.method == "words"
    assert any("language" in reason for reason in verdict.reasons)


def test_nothing_gives_nothing() -> None:
    assert support_all([]) == []
    assert support("", []).verdict == "unsupported"
    assert support("Bees dance.", []).verdict == "unsupported"


def test_support_is_public() -> None:
    assert {"support", "support_all"} <= set(spyglass.__all__)
