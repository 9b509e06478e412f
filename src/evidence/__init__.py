"""What a sentence rests on: statements of sources, and how far they support what is claimed.

A passage is cut into windows (`block`). How the words of a claim lie in one says how likely it supports it
(`alignment`). What both state is read from their tokens (`word`, `facts`) and compared rule by rule: what differs is
a mismatch, which forbids support or limits it. `judgement` makes a verdict of both, `Evidence` of many passages.

Who writes or checks a report imports by their modules: what a `claim` is, what a `statement` is made of, `quotation`,
the `reason` of a verdict, `entailment`, which asks a model, `independence`, `relevance`, and the words of `clause`
and `limit`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .contradictions import contradictions
    from .evidence import Evidence, support, support_all
    from .facts import FactMismatch, facts, mismatches
    from .relevance import Relevance, ordered_roots, roots
    from .stated import Stated
    from .statement import Statement, shown, statements, visible

__all__ = [
    "Evidence",
    "FactMismatch",
    "Relevance",
    "Stated",
    "Statement",
    "contradictions",
    "facts",
    "mismatches",
    "ordered_roots",
    "roots",
    "shown",
    "statements",
    "support",
    "support_all",
    "visible",
]

__getattr__ = lazy_exports(
    __name__,
    contradictions="contradictions",
    evidence="Evidence support support_all",
    facts="FactMismatch facts mismatches",
    relevance="Relevance ordered_roots roots",
    stated="Stated",
    statement="Statement shown statements visible",
)
