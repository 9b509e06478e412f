"""A question on what a report has found: it knows what that was about, and reads what that has read."""

from typing import TYPE_CHECKING, Final

from ..search.queries import with_subject

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report

MOST_PAGES: Final = 10
"""Pages of a report that a follow-up reads, those that are cited first."""


def followed(question: str, settings: "Settings", report: "Report") -> tuple[str, "Settings"]:
    """Return the question with the subject of the report's, and settings that give it the pages of that.

    They are in the page cache mostly, so that nothing is asked for again.
    """
    cited = {citation.source_id for citation in report.citations}
    pages = sorted((one for one in report.sources if one.kind == "web"), key=lambda one: one.id not in cited)
    urls = dict.fromkeys([*settings.urls, *(one.url for one in pages[:MOST_PAGES])])
    changed = settings.updated(urls=list(urls), web=settings.searches_web) if urls else settings
    return with_subject(question, report.question), changed
