"""A passage that a search of local files found."""

from pydantic import BaseModel

from ..kernel.source import Passage


class Hit(BaseModel, frozen=True):
    """A passage that was found: its file, `path` under the absolute folder `base`, and what it is a span of.

    `snapshot` is the hash of the whole text, which `extractor` made.
    `lexical` and `dense` are its ranks in the two legs, from 1; None where a leg did not bring it. The score of the
    passage is that of the fusion, 1 for a passage that is first in every leg that was asked.
    """

    base: str
    path: str
    title: str
    kind: str
    extractor: str
    snapshot: str
    passage: Passage
    lexical: int | None
    dense: int | None

    def scored(self, score: float) -> "Hit":
        """Return it with another score of its passage."""
        return self.model_copy(update={"passage": self.passage.model_copy(update={"score": round(score, 6)})})
