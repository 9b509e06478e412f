"""A replacement for ddgs' HTTP client, which uses the filter proxy and checks statuses."""

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
    """A response as ddgs expects it; addresses in JSON are encoded once more, because ddgs decodes them."""

    status_code = 200

    def __init__(self, content: bytes, encoding: str) -> None:
        self.content = content
        try:
            text = content.decode(encoding, "replace")
        except LookupError:  # an unknown charset
            text = content.decode("utf-8", "replace")
        is_json = text.lstrip()[:1] in ("{", "[")
        self.text = _JSON_ADDRESS.sub(lambda match: match[0].replace("%", "%25"), text) if is_json else text


class DdgsClient:
    """The HTTP client of one search, used in the thread of that search.

    `http` is ddgs' own client, which connects only to the proxy of the `visit`; if the settings have another address
    for the engine, all requests go there. `fields` are sent with each request. `text` is the last answer, `url` its
    address, `elsewhere` its host if that is another site. Raises a SearchError for a request that the proxy refused, an
    unreachable host, and any status but success.
    """

    def __init__(self, engine: SearchEngine, http: Any, visit: "Visit", fields: Mapping[str, str]) -> None:
        self._engine, self._http, self._visit, self._fields = engine, http, visit, fields
        self.text = self.url = self.elsewhere = ""

    @property
    def client(self) -> Self:
        """The object on which ddgs sets cookies."""
        return self

    def set_cookies(self, url: str, cookies: Mapping[str, str]) -> None:
        """Set cookies for the engine."""
        self._http.set_cookies(self._moved(url), cookies)

    def request(self, method: str, url: str, **content: Any) -> DdgsResponse:
        """Return the answer if its status is success; no error text contains the query string."""
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
            raise self._engine.connection_error(self._visit.failed or late) from error
        except primp.PrimpError as error:
            # The part before " > " contains the query.
            reason = str(error).partition(" > ")[2].partition("\n")[0] or type(error).__name__
            untrusted = {"fault": "certificate"} if "certificate" in reason else {}
            failed = UnreachableError(Notice("connection_failed", why=reason), **untrusted)
            raise self._engine.connection_error(self._visit.failed or failed) from error
        if self._visit.failed is not None:  # then the answer comes from the proxy itself
            raise self._engine.connection_error(self._visit.failed)
        if (refusal := self._engine.refusal(answer)) is not None:
            raise refusal
        parsed = DdgsResponse(answer.body, encoding)
        self.text, self.url = parsed.text, answer.url
        requested, answering = host_of(self._moved(url)), host_of(answer.url)
        self.elsewhere = "" if is_same_site(requested, answering) else answering
        return parsed

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
