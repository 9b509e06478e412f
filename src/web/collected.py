"""The result of searching and reading: pages, hits and failures."""

from dataclasses import dataclass, field

from ..fetch import Page
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.run import Run
from ..search import SearchResult

TOO_SLOW = Notice("too_slow")

MOST_UNREAD = 5  # unreadable pages that are reported individually


@dataclass(slots=True)
class Collected:
    """Pages in order of rank, their search hits by address, and what failed.

    `failed` and `unanswered` map addresses and queries to reasons; `given_up` are the queries that were not waited for;
    `left_out` counts the hits that the settings (domains, block, min_score) exclude; `limit` is the limit of the run
    that ended the collection, if one did.
    """

    pages: list[Page] = field(default_factory=list)
    hits: dict[str, SearchResult] = field(default_factory=dict)
    failed: dict[str, NoticeOrText] = field(default_factory=dict)
    unanswered: dict[str, NoticeOrText] = field(default_factory=dict)
    given_up: list[str] = field(default_factory=list)
    left_out: int = 0
    limit: NoticeOrText = ""

    def add(self, other: "Collected") -> None:
        """Append another collection, without pages whose text is already included."""
        known = {page.snapshot for page in self.pages}
        self.pages += [page for page in other.pages if page.snapshot not in known]
        self.hits = {**other.hits, **self.hits}
        self.failed = {**other.failed, **self.failed}
        self.unanswered = {**other.unanswered, **self.unanswered}
        self.limit = self.limit or other.limit
        self.given_up += [query for query in other.given_up if query not in self.given_up]

    def tell(self, run: Run, who: str) -> None:
        """Report, for the agent `who`, queries not waited for, unreadable pages, and that all hits were excluded."""
        if self.limit:
            run.fail("web", Notice("of_searches_and_pages"), self.limit)
        for query in self.given_up:
            run.notice(Notice("search_not_awaited", query=query))
        if self.left_out and not self.hits:
            run.notice(Notice("pages_not_admitted", pages=self.left_out))
        unread = list(self.failed.items())
        if not self.pages and any(reason != TOO_SLOW for _, reason in unread):
            run.fail(who, Notice("of_reading_pages"), Notice("none_readable"))
        for url, reason in unread[:MOST_UNREAD]:
            run.notice(Notice("not_read", what=url, why=reason), emitted=True)
        if more := unread[MOST_UNREAD:]:
            run.notice(Notice("more_pages_unread", more=len(more), url=more[0][0]), emitted=True)
