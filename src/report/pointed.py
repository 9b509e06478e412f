"""What a model wrote, as candidates for an answer, and without the claims that serve no question."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from ..answer.candidate import Candidate
from ..evidence.reason import BESIDE
from ..evidence.statement import leans
from .catalogue import Catalogue
from .draft import Draft, Sentence
from .policy import Settled, taken_out


@dataclass(frozen=True, slots=True)
class Written:
    """A claim that a model wrote, and what it is as an answer: above it stands what is above the passage it cites."""

    sentence: Sentence
    candidate: Candidate


def written(draft: Draft, catalogue: Catalogue) -> Iterator[Written]:
    """Yield the cited claims of a draft, none of one that is quoted."""
    ranks = {label: place for place, label in enumerate(catalogue.by_score)}
    texts = ["", *(one.text for one in draft.sentences), ""]
    for place, one in enumerate(draft.sentences, start=1):
        if draft.quoted or not one.asserts or one.labels or one.code or not one.cites:
            continue
        cited = one.cites[0].passage
        candidate = Candidate(
            text=one.text,
            before=texts[place - 1],
            after=texts[place + 1],
            around=f"{cited.source.path}\n{cited.source.title}\n{cited.passage.heading}",
            passage=cited.passage.text,
            rank=ranks[cited.label],
            row=bool(one.head),
            leans=leans(one.text),
        )
        yield Written(one, candidate)


def without_beside(draft: Draft, beside: Collection[Sentence]) -> Settled:
    """Return a draft without the sentences that are beside the point, and what is told of them."""
    parts = (_told(part) if isinstance(part, Sentence) and part in beside else part for part in draft.parts)
    return taken_out(replace(draft, parts=tuple(parts)), is_beside)


def is_beside(sentence: Sentence) -> bool:
    """Say whether a sentence was found to be beside the point."""
    return sentence.verdict is not None and BESIDE in sentence.verdict.reasons


def _told(sentence: Sentence) -> Sentence:
    """Return a sentence whose verdict says that it is beside the point."""
    assert sentence.verdict is not None
    reasons: Sequence[str] = [BESIDE, *sentence.verdict.reasons]
    return replace(sentence, verdict=sentence.verdict.model_copy(update={"reasons": reasons}))
