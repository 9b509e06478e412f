"""A sentence is held against the passages that have most of its words."""

from spyglass.evidence.evidence import MANY
from spyglass.kernel.source import Passage, Source
from spyglass.verify.citation_resolver import ResolvedSources
from spyglass.verify.claim_judge import ClaimJudge
from spyglass.verify.foreign import read_foreign

CLAIM = "The basin of the harbour is closed by a gate at low water."
COMMON = ("The basin has a gate.", "The harbour is closed.", "The low water came.")


def test_a_sentence_of_words_that_most_passages_have_is_found_where_it_stands() -> None:
    texts = [f"{COMMON[number % 3]} Note {number}." for number in range(2 * MANY)] + [CLAIM]
    passages = [Passage(text=text, start=100 * n, end=100 * n + len(text)) for n, text in enumerate(texts)]
    resolved = ResolvedSources()
    resolved.add(
        Source(
            title="Harbour", summary="", brief_summary="", keywords=[], url="file:///h.md", kind="file", path="h.md",
            snapshot="s", retrieved_at="2026-03-01T00:00:00+00:00", passages=passages,
        )
    )  # fmt: skip
    (draft,) = ClaimJudge(resolved, dict[str, str]().get).drafts(read_foreign(CLAIM, "theirs"))
    assert [unit.verdict.verdict for unit in draft.units if unit.verdict] == ["supported"]
