"""What the file of a report cannot prove: who changes it well is found out by the journal of its run only."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ON_TRUST: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "that the texts it carries are what its pages and files said: whoever writes one anew, with its hash and what is "
    "cited of it, is found by reading them again (--refetch, --folder)": (),
    "titles of sections, words that say no more than what was asked, and those that change nothing of the "
    "verdict on their sentence; which sections are quoted, where nothing in them is another's word": (
        "sections[].title", "sections[].quoted", "sections[].blocks[].sentences[].parts",
        "sections[].blocks[].sentences[].parts[]",
    ),
    "that what was left out for not serving the question does not, and how far it was supported": (
        "removed[].verdict",
    ),
    "that no removed sentence and no sub-question is left out of its list, their words, and why a sentence was taken "
    "out": (
        "removed", "removed[].section", "removed[].text", "removed[].reasons", "removed[].reasons[]",
        "coverage", "coverage[].question",
    ),
    "further reasons of a verdict, and what decided it": (
        "sections[].blocks[].sentences[].verdict.reasons", "sections[].blocks[].sentences[].verdict.reasons[]",
        "sections[].blocks[].sentences[].verdict.method", "sections[].blocks[].sentences[].rewritten",
    ),
    "notices, failures, what was searched and what it cost": (
        "outcome", "network", "notices", "notices[]", "failures[].who", "failures[].what", "failures[].why",
        "dropped_markers", "queries", "queries[]", "folders", "web", "filters", "searches", "searches[].query",
        "searches[].engine",
        "searches[].results", "searches[].error", "calls", "calls[].kind", "calls[].what", "calls[].count",
        "calls[].failed", "calls[].prompt_tokens", "calls[].completion_tokens", "calls[].cost", "spending.calls",
        "spending.cost",
    ),
    "when, in which run, in which language and by which model it was written": ("date", "run", "language", "writer"),
    "what sources are said to be that are not cited, and of those that are, author, site and summary": (
        "sources[].author", "sources[].site", "sources[].location", "sources[].summary", "sources[].brief_summary",
        "sources[].snippet", "sources[].keywords", "sources[].task", "sources[].quality", "sources[].score",
        "sources[].extractor", "sources[].published", "sources[].credibility_score", "sources[].credibility_tier",
        "sources[].domain", "sources[].url", "sources[].passages[].page", "sources[].passages[].line",
        "sources[].passages[].last_line", "sources[].passages[].heading", "sources[].passages[].end",
        "sources[].passages[].score", "sources[].passages[].ocr_confidence",
    ),
})  # fmt: skip
"""In plain words, with the fields; in lists of items too, a change of one field of one item may go unseen."""
