"""Builds a report: indexes the sources, outlines it, writes or quotes sections with citations, checks each sentence.

The Reporter, tools and `verify` import the steps by their modules. Before writing: `outline`, `coverage`, `comparison`,
`side_by_side`, `copies`, `source_index`. Writing: `writer`, `extractive`, `quotable`, `draft_parser`, `markers`.
Checking: `asserting`, `checker`, `revision`, `prompt_echo`, `duplicates`. After that: `confidence`, `derive`, `report`,
`tally`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .composer import Composer
    from .derive import derive
    from .draft import Draft
    from .report import (
        CheckedCitation,
        CitationState,
        Claim,
        Contradiction,
        Coverage,
        Level,
        Reference,
        Removed,
        Report,
        Section,
        Side,
    )
    from .source_index import SourceEntry, SourceIndex

__all__ = [
    "CheckedCitation",
    "CitationState",
    "Claim",
    "Composer",
    "Contradiction",
    "Coverage",
    "Draft",
    "Level",
    "Reference",
    "Removed",
    "Report",
    "Section",
    "Side",
    "SourceEntry",
    "SourceIndex",
    "derive",
]

__getattr__ = lazy_exports(
    __name__,
    composer="Composer",
    derive="derive",
    draft="Draft",
    report="CheckedCitation CitationState Claim Contradiction Coverage Level Reference Removed Report Section Side",
    source_index="SourceEntry SourceIndex",
)
