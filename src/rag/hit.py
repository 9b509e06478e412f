"""The result of a search in local files."""

from pydantic import BaseModel

from ..kernel.source import Passage


class Hit(BaseModel, frozen=True):
    """A passage found in the file `path`, relative to the absolute folder `base`.

    `snapshot` is the hash of the whole text, which `extractor` extracted. `lexical` and `dense` are the passage's
    ranks, from 1, by words and by vectors; None where it was not found, or not near enough. The passage's score is that
    of the fusion: 1 for a passage that is first in every leg searched.
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
