"""A watched question over the loopback web: what its sources say now is told, how they or a model put it is not."""

import asyncio
import json
import socketserver
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pydantic import SecretStr

from loopback import Reply, SearchServer, Visit, WebServer
from loopback.prose import article
from spyglass.kernel.errors import UnknownRunError, UsageError
from spyglass.kernel.pool import Pool
from spyglass.kernel.settings import Settings
from spyglass.watch import Checked, Watch, WatchStore, check_watch
from spyglass.watch.checking import check_due
from tools.sites import finds, settings_of

QUESTION = "What is known about the Altmere harbour?"
TITLE = "The harbour of Altmere"
SAID = (
    "The basin of the Altmere harbour is 7 metres deep at low water.",
    "The new quay of the Altmere harbour opens on 3 May 2027.",
    "The harbour master of Altmere is Anna Lindqvist.",
    "Large tankers may enter the Altmere harbour at night.",
)
FILLING = (
    "Gulls breed on the roofs of the warehouses, and people feed them bread.",
    "A market is held on the square behind it every week, with fish and cheese.",
)


class Harbour:
    """A page on the loopback web, watched."""

    def __init__(self, settings: Settings, web: WebServer, pool: Pool) -> None:
        self.settings = settings
        self.store = WatchStore(settings.data_dir)
        self._web = web
        self._pool = pool

    def says(self, *paragraphs: str, title: str = TITLE) -> str:
        """Have the page say these paragraphs from now on, and return its address."""
        return self._web.put("/harbour", article(title, *paragraphs), host="127.0.0.1")

    async def watch(self, question: str = QUESTION) -> Watch:
        watch = await asyncio.to_thread(self.store.add, question, "0 8 * * *", self.settings)
        first = await self.check(watch)
        assert (list(first.changes), first.problems) == ([], [])
        return watch

    async def check(self, watch: Watch) -> Checked:
        found = await check_watch(watch.id, self.store, self.settings, self._pool)
        assert found is not None
        return found


@pytest.fixture
async def harbour(tmp_path: Path, search_server: SearchServer, web_server: WebServer) -> AsyncIterator[Harbour]:
    async with Pool() as pool:
        made = Harbour(settings_of(tmp_path, search_server), web_server, pool)
        finds(search_server, made.says(*SAID, *FILLING))
        yield made


@pytest.mark.parametrize(
    ("question", "place", "now", "kind"),
    [
        ("How deep is the basin?", 0, "The basin of the Altmere harbour is 9 metres deep at low water.", "number"),
        ("When does the new quay open?", 1, "The new quay of the Altmere harbour opens on 17 May 2027.", "date"),
        ("Who is the harbour master?", 2, "The harbour master of Altmere is Karl Brandt.", "name"),
        ("May tankers enter at night?", 3, "Large tankers may not enter the Altmere harbour at night.", "negation"),
    ],
)
async def test_a_value_that_a_source_changes_is_told_with_both_quotes(
    harbour: Harbour, question: str, place: int, now: str, kind: str
) -> None:
    watch = await harbour.watch(question)
    address = harbour.says(*(now if one == place else said for one, said in enumerate(SAID)), *FILLING)
    found = await harbour.check(watch)
    (change,) = found.changes
    assert change.before is not None
    assert (change.kind, change.before.text, change.after.text) == (kind, SAID[place], now)
    assert (change.before.place, change.after.place) == (address, address)
    assert (await harbour.check(watch)).changes == [], "it is told once"
    assert [len(one.changes) for one in (await asyncio.to_thread(harbour.store.find, watch.id)).news] == [1]


@pytest.mark.parametrize(
    "now",
    [
        SAID,
        SAID[::-1],
        (*FILLING, *SAID, "Buy two ice creams for the price of one at our kiosk until Sunday."),
        ("At low water, the Altmere harbour's basin has a depth of 7 metres.", *SAID[1:]),
        (SAID[0], "The Altmere harbour's new quay will open on May 3, 2027.", *SAID[2:]),
        (*SAID[:2], "Anna Lindqvist is harbour master of Altmere.", SAID[3]),
        (*SAID[:3], "At night, too, large tankers may enter the Altmere harbour."),
    ],
)
async def test_words_order_and_surroundings_are_no_news(harbour: Harbour, now: tuple[str, ...]) -> None:
    watch = await harbour.watch()
    harbour.says(*now, *FILLING)
    assert (await harbour.check(watch)).changes == []


async def test_what_a_source_adds_is_told_when_it_brings_a_value(harbour: Harbour) -> None:
    watch = await harbour.watch()
    added = "A crane of the Altmere harbour that lifts 450 tonnes was built there by Thyssen."
    harbour.says(added, *SAID, *FILLING)
    (change,) = (await harbour.check(watch)).changes
    assert (change.kind, change.before, change.after.text) == ("new", None, added)


async def test_a_page_that_was_not_there_before_is_told_where_it_says_otherwise(
    harbour: Harbour, search_server: SearchServer, web_server: WebServer
) -> None:
    watch = await harbour.watch()
    other = web_server.put(
        "/news",
        article("Altmere news", "The basin of the Altmere harbour is 12 metres deep at low water.", *FILLING),
        host="127.0.0.2",
    )
    finds(search_server, other, web_server.url("/harbour", "127.0.0.1"))
    (change,) = (await harbour.check(watch)).changes
    assert change.before is not None
    assert (change.kind, change.before.text, change.after.place) == ("number", SAID[0], other)


async def test_a_check_without_an_answer_is_told_once_and_loses_nothing(
    harbour: Harbour, search_server: SearchServer, web_server: WebServer
) -> None:
    hooks = _hook(web_server)
    harbour.settings = harbour.settings.updated(watch__webhook=SecretStr(web_server.url("/hook", "127.0.0.3")))
    watch = await harbour.watch()
    harbour.says(*FILLING, title="Gulls")
    for _ in range(2):
        assert "has no answer" in (await harbour.check(watch)).problems[0]
    assert [bool(one["problem"]) for one in hooks] == [True]
    harbour.says(SAID[0].replace("7", "9"), *SAID[1:], *FILLING)
    (change,) = (await harbour.check(watch)).changes
    assert change.before is not None
    assert change.before.text == SAID[0], "it is held against the last answer"
    assert [len(one["changes"]) for one in hooks] == [0, 1]


def _hook(web_server: WebServer) -> list[Any]:
    """Take what is posted to `/hook`."""
    taken = list[Any]()

    def take(visit: Visit) -> Reply:
        taken.append(json.loads(visit.body))
        return Reply("Thank you.")

    web_server.put("/hook", take, host="127.0.0.3")
    return taken


class MailServer(socketserver.ThreadingTCPServer):
    """Takes e-mails as SMTP has it, and keeps them."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.mails = list[str]()
        super().__init__(("127.0.0.1", 0), _Mail)


class _Mail(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, MailServer)
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip():
            word = line.split(" ")[0].upper()
            if word == "DATA":
                self._say("354 go on")
                lines = []
                while (text := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    lines.append(text)
                self.server.mails.append("\n".join(lines))
            self._say("221 bye" if word == "QUIT" else "250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


async def test_each_channel_is_told_and_one_that_fails_keeps_no_other_from_it(
    harbour: Harbour, web_server: WebServer, mail_server: MailServer, tmp_path: Path
) -> None:
    port = mail_server.server_address[1]
    harbour.settings = harbour.settings.updated(
        watch__webhook=SecretStr(web_server.url("/nowhere", "127.0.0.3")),
        watch__atom=tmp_path / "news.xml",
        watch__email_to=["ana@example.org"],
        watch__smtp=f"127.0.0.1:{port}",
    )
    watch = await harbour.watch()
    now = SAID[0].replace("7", "9")
    harbour.says(now, *SAID[1:], *FILLING)
    found = await harbour.check(watch)
    assert [one.partition(":")[0] for one in found.problems] == ["Notification by the webhook failed"]
    (mail,) = mail_server.mails
    assert "Subject: 1 changed: What is known about the Altmere harbour?" in mail
    assert "7 metres" in mail
    assert "9 metres" in mail
    feed = await asyncio.to_thread(ElementTree.parse, tmp_path / "news.xml")
    (entry,) = feed.getroot().findall("{http://www.w3.org/2005/Atom}entry")
    assert "9 metres" in (entry.findtext("{http://www.w3.org/2005/Atom}content") or "")


async def test_a_webhook_leads_nowhere_that_the_user_has_not_allowed(harbour: Harbour, web_server: WebServer) -> None:
    hooks = _hook(web_server)
    watch = await harbour.watch()
    harbour.says(SAID[0].replace("7", "9"), *SAID[1:], *FILLING)
    allowed = {"network__allow_private": ["127.0.0.1/32"]}  # the page and the engine, and not the hook
    harbour.settings = harbour.settings.updated(
        watch__webhook=SecretStr(web_server.url("/hook", "127.0.0.3")), **allowed
    )
    found = await harbour.check(watch)
    assert len(found.changes) == 1
    assert "not public" in found.problems[0] or "private" in found.problems[0]
    assert hooks == []


async def test_what_is_due_is_checked_and_put_off_to_its_next_time(harbour: Harbour) -> None:
    watch = await asyncio.to_thread(harbour.store.add, QUESTION, "0 8 * * *", harbour.settings)
    async with Pool() as pool:
        assert len(await check_due(harbour.store, harbour.settings, pool)) == 1
        assert await check_due(harbour.store, harbour.settings, pool) == []
        lock = harbour.store.hold(watch)
        await asyncio.to_thread(lock.__enter__)
        assert await check_watch(watch.id, harbour.store, harbour.settings, pool) is None
        lock.__exit__(None, None, None)
    assert "T08:00:00" in (await asyncio.to_thread(harbour.store.find, watch.id)).due


def test_a_schedule_or_watch_that_is_none_is_told(tmp_path: Path) -> None:
    store, settings = WatchStore(tmp_path), Settings(data_dir=tmp_path)
    for every in ("", "daily", "61 * * * *", "0 8 * *", "0 0 30 2 *"):
        with pytest.raises(UsageError, match="is not a schedule"):
            store.add(QUESTION, every, settings)
    with pytest.raises(UsageError):
        store.add(" ", "0 8 * * *", settings)
    assert store.all() == []
    with pytest.raises(UnknownRunError, match="0 watches begin with"):
        store.find("nothing")
    watch = store.add(QUESTION, "0 8 * * 1-5", settings)
    assert [one.id for one in store.all()] == [watch.id]
    store.remove(watch)
    assert store.all() == []
    (tmp_path / "watches" / "bad.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        store.all()
