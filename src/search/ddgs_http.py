"""Takes the place of ddgs' HTTP client: requests go through the filter proxy, and statuses are checked."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from ..kernel.errors import FetchDeadlineError, UnreachableError
from ..kernel.notice import Notice
from ..net import Response
from ..net.outage import host_of, is_same_site
from .provider import LARGEST_ANSWER, SearchEngine

if TYPE_CHECKING:
    from ..net import Visit

PIECE: Final = 65_536  # bytes that are read at once


_JSON_ADDRESS = re.compile(r'"https?:(?:[^"\\]|\\.)*"')


class DdgsResponse:
    """An answer as ddgs reads it; addresses in JSON are encoded once more, for ddgs decodes them."""

    status_code = 200

    def __init__(self, content: bytes, encoding: str) -> None:
        self.content = content
        try:
            text = content.decode(encoding, "replace")
        except LookupError:  # a charset that nobody knows
            text = content.decode("utf-8", "replace")
        is_json = text.lstrip()[:1] in ("{", "[")
        self.text = _JSON_ADDRESS.sub(lambda found: found[0].replace("%", "%25"), text) if is_json else text


class DdgsClient:
    """Makes the requests of one search, in the thread of that search.

    `http` is ddgs' own client, which connects to the proxy of the `visit` alone; where the settings have another
    address of the engine, all of its requests go there. `fields` are sent with each one. `text` is the last answer,
    `url` its address, `elsewhere` its host where that is another site's. Raises the SearchError for whatever is no
    answer: what the proxy refused, what could not be reached, and a status other than success.
    """

    def __init__(self, engine: SearchEngine, http: Any, visit: "Visit", fields: Mapping[str, str]) -> None:
        self._engine, self._http, self._visit, self._fields = engine, http, visit, fields
        self.text = self.url = self.elsewhere = ""

    @property
    def client(self) -> Self:
        """What ddgs sets cookies on."""
        return self

    def set_cookies(self, url: str, cookies: Mapping[str, str]) -> None:
        """Keep cookies for the engine."""
        self._http.set_cookies(self._moved(url), cookies)

    def request(self, method: str, url: str, **content: Any) -> DdgsResponse:
        """Ask, and return an answer whose status says success; no text of an error holds the query string."""
        import primp

        for name in {"params", "data"} & content.keys():
            content[name] = {**content[name], **self._fields}
        try:
            with self._http.request(method, self._moved(url), stream=True, **content) as response:
                body = self._read(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                answer = Response(response.url, response.status_code, headers, body)
                encoding = response.encoding
        except primp.TimeoutError as error:
            late = FetchDeadlineError(Notice("took_too_long", seconds=self._engine.settings.search.deadline))
            raise self._engine.unasked(self._visit.failed or late) from error
        except primp.PrimpError as error:
            # Before the sign stands the query.
            said = str(error).partition(" > ")[2].partition("\n")[0] or type(error).__name__
            untrusted = {"fault": "certificate"} if "certificate" in said else {}
            failed = UnreachableError(Notice("connection_failed", why=said), **untrusted)
            raise self._engine.unasked(self._visit.failed or failed) from error
        if self._visit.failed is not None:  # then the answer is the proxy's own
            raise self._engine.unasked(self._visit.failed)
        if (refused := self._engine.refusal(answer)) is not None:
            raise refused
        read = DdgsResponse(answer.body, encoding)
        self.text, self.url = read.text, answer.url
        asked, by = host_of(self._moved(url)), host_of(answer.url)
        self.elsewhere = "" if is_same_site(asked, by) else by
        return read

    def _read(self, response: Any) -> bytes:
        body = bytearray()
        for piece in response.iter_bytes(PIECE):
            body += piece
            if len(body) > LARGEST_ANSWER:
                raise self._engine.broken(Notice("answer_too_large"))
        return bytes(body)

    def _moved(self, url: str) -> str:
        if self._engine.base == self._engine.home:
            return url
        parts = urlsplit(url)
        return f"{self._engine.base}{parts._replace(scheme='', netloc='').geturl()}"
