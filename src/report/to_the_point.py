"""What a model wrote, as candidates for an answer, and without the claims that serve no question."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from ..answer.candidate import Candidate
from ..evidence.reason import BESIDE
from ..evidence.statement import leans
from .draft import Draft, Sentence
from .policy import Settled, taken_out
from .source_index import SourceIndex


def candidates(draft: Draft, index: SourceIndex) -> Iterator[tuple[Sentence, Candidate]]:
    """Yield the cited claims of a draft and what each is as an answer, below what stands above the passage it cites.

    Of a draft that is quoted there are none.
    """
    texts = ["", *(one.text for one in draft.sentences), ""]
    for place, one in enumerate(draft.sentences, start=1):
        if draft.quoted or not one.asserts or one.labels or one.code or not one.cites:
            continue
        cited = one.cites[0].passage
        yield (
            one,
            Candidate(
                text=one.text,
                before=texts[place - 1],
                after=texts[place + 1],
                around=cited.above,
                passage=cited.passage.text,
                rank=index.ranks[cited.label],
                row=bool(one.head),
                leans=leans(one.text),
            ),
        )


def without_beside(draft: Draft, beside: Collection[Sentence]) -> Settled:
    """Return a draft without the sentences that are beside the point, and what is told of them."""
    parts = (_told(part) if isinstance(part, Sentence) and part in beside else part for part in draft.parts)
    marked = replace(draft, parts=tuple(parts))
    return taken_out(marked, lambda one: one.verdict is not None and BESIDE in one.verdict.reasons)


def _told(sentence: Sentence) -> Sentence:
    """Return a sentence whose verdict says that it is beside the point."""
    assert sentence.verdict is not None
    reasons = [BESIDE, *sentence.verdict.reasons]
    return replace(sentence, verdict=sentence.verdict.model_copy(update={"reasons": reasons}))
