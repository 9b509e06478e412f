"""A passage that a search of local files found."""

from pydantic import BaseModel

from ..kernel.source import Passage


class Hit(BaseModel, frozen=True):
    """A passage that was found in the file `path` under the absolute folder `base`.

    `snapshot` is the hash of the whole text, which `extractor` made.
    `lexical` and `dense` are its ranks in the two legs, from 1; None where a leg did not find it, or not near enough.
    The score of the passage is that of the fusion, 1 for a passage that is first in every leg searched.
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
        """Return a copy with another score."""
        return self.model_copy(update={"passage": self.passage.model_copy(update={"score": round(score, 6)})})
