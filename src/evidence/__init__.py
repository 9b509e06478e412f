"""Extracts statements from sources and decides how far they support a claim, a sentence of a report.

A passage is cut into windows of adjacent sentences (`block`). The word overlap of claim and window gives a probability
of support (`alignment`). The facts of both are extracted from their tokens (`word`, `facts`) and compared rule by rule;
each difference is a mismatch, which rules out support or limits it. `judgement` derives a verdict from probability and
mismatches; `Evidence` finds the best window of many passages. docs/checking.md explains the terms.

Code that writes or checks reports imports these modules directly: `claim` (detects claims), `statement`, `rows` (of
tables), `leaning`, `headings` (of a passage), `quotation`, `reason` (of a verdict), `entailment` (asks a model),
`independence` (finds copies), `relevance`, `dating` (of a document), and `clause`, `date` and `overstatement` for their
word lists.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .contradictions import contradictions
    from .evidence import Evidence, may_be_supported, missing_facts, support, support_all
    from .facts import FactMismatch, facts, mismatches
    from .relevance import Relevance, ordered_roots, roots
    from .stated import Stated
    from .statement import Statement, shown, statements
    from .visible_text import visible

__all__ = [
    "Evidence",
    "FactMismatch",
    "Relevance",
    "Stated",
    "Statement",
    "contradictions",
    "facts",
    "may_be_supported",
    "mismatches",
    "missing_facts",
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
    evidence="Evidence may_be_supported missing_facts support support_all",
    facts="FactMismatch facts mismatches",
    relevance="Relevance ordered_roots roots",
    stated="Stated",
    statement="Statement shown statements",
    visible_text="visible",
)
