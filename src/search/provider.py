"""The base class of search engines: an address, perhaps a key, and a method that searches."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal
from urllib.parse import quote
from xml.etree.ElementTree import Element, ParseError

from pydantic import SecretStr

from ..kernel import errors
from ..kernel.argument import validated
from ..kernel.attempts import retry_after
from ..kernel.notice import Notice, NoticeOrText, mapped
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..model.address import without_secrets
from ..net.outage import host_of, is_same_site
from .hit import hit
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from ..net import Client, Response

LARGEST_ANSWER: Final = 2_000_000  # bytes of an answer that are read
ADDRESSES: Final = "search.engine_urls"  # the setting that has the addresses of engines


Lack = Literal["range_of_time", "strict_safe_search", "chosen_domains"]  # the codes of notices


@validated
class SearchEngine(ABC):
    """One search engine. A subclass defines its address, its requests and how to read its answers.

    A distribution adds an engine as an entry point of the group `spyglass.engines`: a subclass that is created from the
    settings alone. `search` returns the results, best first, and an empty list if nothing was found; it raises
    SearchError in every other case.
    """

    name: ClassVar[str]
    home: ClassVar[str] = ""
    """The default base address; without one, the engine needs an address in the settings."""
    key_setting: ClassVar[str] = ""
    """The name of the setting that holds its key; "" for an engine without a key."""
    keyless: ClassVar[bool] = False
    """Whether it needs no key: it has one attempt if another keyless engine comes later in the chain."""
    concurrency: ClassVar[int] = 3
    """Concurrent calls, over all runs of the process."""
    lacks: ClassVar[frozenset[Lack]] = frozenset()
    """Conditions of a query that it does not support."""
    pages: ClassVar[bool] = False
    """Whether it has a second page of results."""
    pause: ClassVar[float] = 0.5
    """Seconds between an answer and the next call."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @property
    def base(self) -> str:
        """The address that request paths are appended to."""
        return self.settings.search.engine_urls.get(self.name, self.home).rstrip("/")

    @property
    def place(self) -> str:
        """The address for errors and the journal: without a password; "" if it does not parse."""
        try:
            return without_secrets(self.base)
        except ValueError:
            return ""

    @property
    def per_minute(self) -> int | None:
        """Requests per minute that the engine allows; None for no limit."""
        return None

    @property
    def usable(self) -> bool:
        """Whether it has its address and, if needed, its key."""
        return bool(self.base and (self._own_key or not self.key_setting))

    @property
    def _own_key(self) -> str:
        """The key in the settings, "" without one."""
        key: SecretStr | None = getattr(self.settings, self.key_setting) if self.key_setting else None
        return key.get_secret_value().strip() if key else ""

    async def key(self) -> str:
        """Return the key; raises SearchKeyError when there is none."""
        if not self._own_key:
            remedy = Notice("set_setting", setting=self.key_setting)
            raise errors.SearchKeyError(Notice("engine_without_key", engine=self.name), remedy=remedy)
        return self._own_key

    def require_possible(self, query: SearchQuery) -> None:
        """Raise SearchRequestError, before any request, for a query with a condition that the engine `lacks`."""
        wanted: dict[Lack, bool] = {
            "range_of_time": query.time_range != "none",
            "strict_safe_search": query.safesearch == "on",
            "chosen_domains": bool(query.domains),
        }
        for lack in sorted(self.lacks):
            if wanted[lack]:
                notice = Notice("engine_cannot_keep", engine=self.name, lack=Notice(lack))
                raise errors.SearchRequestError(notice, where=self.place)

    @abstractmethod
    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once, without retries."""

    async def close(self) -> None:  # noqa: B027 most engines keep nothing
        """Close the resources that the engine holds for a run."""

    def refusal(self, response: "Response") -> Exception | None:
        """Return the error for the answer's status, None for success."""
        status, pause = response.status, retry_after(response.headers)
        if 200 <= status < 300:
            return None
        if status == 403 and self.home and not self.key_setting:  # a public catalogue has no key or address to correct
            notice = Notice("engine_takes_us_for_robot", engine=self.name, status=status)
            return errors.SearchBlockedError(notice, where=self.place, retry_after=pause)
        if status in (401, 403):
            notice = Notice("engine_refuses", engine=self.name, status=status)
            remedy = Notice("check_setting", setting=self.key_setting or ADDRESSES)
            return errors.SearchKeyError(notice, where=self.place, remedy=remedy)
        if status == 429:
            notice = Notice("engine_busy", engine=self.name, status=status)
            return errors.SearchBlockedError(notice, where=self.place, retry_after=pause)
        notice = Notice("engine_status", engine=self.name, status=status)
        if status >= 500 or status == 408:
            return errors.SearchBrokenError(notice, where=self.place, retry_after=pause)
        target = host_of(response.headers.get("location", "")) if 300 <= status < 400 else ""
        details = {} if not target or is_same_site(target, host_of(self.base)) else {"by": target}
        remedy = Notice("check_setting", setting=ADDRESSES)
        return errors.SearchRequestError(notice, where=self.place, remedy=remedy, **details)

    async def ask(
        self,
        client: "Client",
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Mapping[str, str] | None = None,
    ) -> "Response":
        """Send a request to the base address and return the answer if its status is success.

        Raises the error of `refusal`, and a SearchError for a failed connection; neither contains the query string.
        """
        deadline = self.settings.search.deadline
        try:
            response = await client.request(
                method, f"{self.base}{path}", params=params, headers=headers, json=json, data=data,
                max_bytes=LARGEST_ANSWER, connect_deadline=min(deadline, self.settings.network.connect_deadline),
                total_deadline=deadline, configured=True,
            )  # fmt: skip
        except errors.FetchError as error:
            raise self.connection_error(error) from error
        if (refusal := self.refusal(response)) is not None:
            raise refusal
        return response

    def connection_error(self, error: errors.FetchError) -> errors.SearchError:
        """Return the search error for a failed connection."""
        if isinstance(error, errors.FetchDeadlineError):
            notice = Notice("engine_late", engine=self.name, seconds=self.settings.search.deadline)
            return errors.SearchDeadlineError(notice, where=self.place, **_fault(error))
        if isinstance(error, errors.AddressError):
            notice = Notice("engine_address_forbidden", engine=self.name, why=self._reason(error))
            return errors.SearchRequestError(notice, where=self.place)
        notice = Notice("engine_unreachable", engine=self.name, why=self._reason(error))
        return errors.SearchBrokenError(notice, where=self.place, **_fault(error))

    def read_xml(self, response: "Response", **options: bool) -> Element:
        """Return the root of an answer in XML. Raises SearchBrokenError."""
        from defusedxml.ElementTree import fromstring

        try:
            root: Element = fromstring(response.body, **options)
        except (ParseError, ValueError) as error:
            raise self.broken(Notice("not_of_format", format="XML")) from error
        return root

    def read_json(self, response: "Response") -> dict[str, Any]:
        """Return the JSON object of an answer. Raises SearchBrokenError."""
        try:
            value = json.loads(response.body)
        except (ValueError, RecursionError) as error:
            raise self.broken(Notice("not_of_format", format="JSON")) from error
        if not isinstance(value, dict):
            raise self.broken(Notice("not_of_format", format="JSON {…}"))
        return value

    def entries(self, value: Any) -> list[dict[str, Any]]:
        """Return the hits in an answer's list. Raises SearchBrokenError if it is no list, or has no readable hit."""
        if not isinstance(value, list):
            raise self.broken(Notice("no_list_in_it"))
        entries = [entry for entry in value if isinstance(entry, dict)]
        if value and not entries:
            raise self.broken(Notice("none_of_it_readable"))
        return entries

    def results(self, query: SearchQuery, hits: Iterable[Mapping[str, Any]], **names: str) -> list[SearchResult]:
        """Return the usable hits as results, `max_results` at most; the keys of each hit are the arguments of `hit`.

        `names` maps these to the engine's keys. Raises SearchBrokenError when there are hits, but none is usable.
        """
        entries = [{ours: entry.get(theirs) for ours, theirs in names.items()} if names else entry for entry in hits]
        results = [hit(self.name, rank, **entry) for rank, entry in enumerate(entries, query.before + 1)]
        usable = [result for result in results if result is not None]
        if results and not usable:
            raise self.broken(Notice("none_with_address"))
        return usable[: query.max_results]

    def broken(self, why: NoticeOrText, **details: str) -> errors.SearchBrokenError:
        """Return the error about an answer that cannot be read."""
        notice = Notice("engine_unreadable", engine=self.name, why=why)
        return errors.SearchBrokenError(notice, where=self.place, **details)

    def _reason(self, error: errors.FetchError) -> NoticeOrText:
        """Return the reason in an error without the key, which SerpAPI has in its addresses."""
        return mapped(error.bare_message, self._without_key)

    def _without_key(self, text: str) -> str:
        text, key = text.partition("?")[0], self._own_key
        for spelling in {key, quote(key), quote(key, safe="")} - {""}:
            text = text.replace(spelling, "…")
        return text

    @property
    def account(self) -> str:
        """A digest of name, address and key: engines with the same digest share their limits."""
        return digest(self.name, self.base, self._own_key, size=64)


def _fault(error: errors.FetchError) -> dict[str, str]:
    return {"fault": error.details["fault"]} if "fault" in error.details else {}
