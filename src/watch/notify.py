"""Who is told what has changed: a webhook, people by e-mail, and an Atom feed."""

import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from ..kernel.errors import SettingsError, SpyglassError, UnreachableError
from ..kernel.language import resolved
from ..kernel.one_line import one_line, tamed
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..net import Client
from ..render import Labels, labels_in
from .changes import Quoted, ValueChange
from .watch_store import Watch

DEADLINE: Final = 20.0  # seconds for each of them
MOST_ENTRIES: Final = 100  # entries of the feed
_ATOM: Final = "http://www.w3.org/2005/Atom"


async def notify(
    watch: Watch, changes: Sequence[ValueChange], problem: str, watches: Sequence[Watch], settings: Settings
) -> list[str]:
    """Tell what has changed, or a problem, to each channel of the settings, and return what did not work, in words.

    One that fails keeps nobody else from being told.
    """
    wanted = settings.watch
    failed: list[str] = []
    if changes and wanted.atom is not None:
        failed += await _tried("the Atom feed", in_thread(write_feed, watches, wanted.atom))
    if (changes or problem) and wanted.webhook is not None:
        failed += await _tried(
            "the webhook", _posted(wanted.webhook.get_secret_value(), payload(watch, changes, problem), settings)
        )
    if (changes or problem) and wanted.email_to:
        failed += await _tried("the e-mail", in_thread(partial(_mailed, watch, changes, problem, settings)))
    return failed


async def _tried(what: str, telling: Any) -> list[str]:
    try:
        await telling
    except (SpyglassError, OSError, smtplib.SMTPException) as error:
        return [f"Nobody was told by {what}: {error}"]
    return []


def payload(watch: Watch, changes: Sequence[ValueChange], problem: str) -> dict[str, Any]:
    """Return what a webhook is sent, as JSON."""
    told = [one.model_dump(mode="json") for one in changes]
    return {"watch": watch.id, "question": watch.question, "run": watch.run, "changes": told, "problem": problem}


def text_of(watch: Watch, changes: Sequence[ValueChange], problem: str) -> str:
    """Return it as people read it: for each change the quote of before and that of now."""
    lines, words = [watch.question, ""], words_of(watch)
    for one in changes:
        changed = words.changed.format(what=one.what, found=one.found)
        lines += [changed if one.before else words.new.format(found=one.found)]
        lines += [f"  {words.before.format(quote=_told(one.before, words))}"] if one.before else []
        lines += [f"  {words.now.format(quote=_told(one.after, words))}", ""]
    lines += [words.not_asked.format(why=problem)] if problem else []
    return tamed("\n".join(lines).rstrip())


def words_of(watch: Watch) -> Labels:
    """Return the words in which people are told of a watch: those of its question's language."""
    return labels_in(resolved(str(watch.settings.get("language", "auto")), watch.question))


def _told(quoted: Quoted, words: Labels) -> str:
    dates = ", ".join(filter(None, [quoted.published, quoted.read and words.retrieved.format(date=quoted.read)]))
    return f"“{one_line(quoted.text)}” ({one_line(quoted.title)}, {quoted.place}{', ' if dates else ''}{dates})"


async def _posted(url: str, content: dict[str, Any], settings: Settings) -> None:
    """Post it to an address that the user set, through the guard: a private one has to be allowed as any other."""
    async with Client(settings) as client:
        answer = await client.request(
            "POST",
            url,
            json=content,
            max_bytes=65_536,
            connect_deadline=DEADLINE,
            read_deadline=DEADLINE,
            total_deadline=DEADLINE,
        )
    if answer.status >= 300:
        raise UnreachableError(f"It answered {answer.status}")


def _mailed(watch: Watch, changes: Sequence[ValueChange], problem: str, settings: Settings) -> None:
    """Send it by the server of the settings; STARTTLS where it is offered, and always before a password. Blocks."""
    wanted = settings.watch
    host, _, port = wanted.smtp.partition(":")
    message = EmailMessage()
    words = words_of(watch)
    told = words.changes.format(n=len(changes), question=watch.question)
    subject = told if changes else words.not_asked.format(why=watch.question)
    message["Subject"] = one_line(subject)[:200]
    message["From"] = wanted.email_from or wanted.email_to[0]
    message["To"] = ", ".join(wanted.email_to)
    message.set_content(text_of(watch, changes, problem))
    with smtplib.SMTP(host, int(port or 25), timeout=DEADLINE) as server:
        server.ehlo()
        if server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        elif wanted.smtp_password is not None:
            raise SettingsError("The mail server offers no TLS, so no password is sent to it", where="watch.smtp")
        if wanted.smtp_password is not None:
            server.login(wanted.smtp_user, wanted.smtp_password.get_secret_value())
        server.send_message(message)


def write_feed(watches: Sequence[Watch], path: Path) -> None:
    """Write what has changed in all watches as an Atom feed, the latest first. Blocks. Raises OSError."""
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    news = sorted(((news.at, watch, news) for watch in watches for news in watch.news), key=lambda one: one[0])[::-1]
    _add(feed, "title", "Spyglass: what has changed")
    _add(feed, "id", "urn:spyglass:watches")
    _add(feed, "updated", news[0][0] if news else "1970-01-01T00:00:00+00:00")
    _add(_add(feed, "author"), "name", "Spyglass")
    for at, watch, one in news[:MOST_ENTRIES]:
        entry = _add(feed, "entry")
        _add(entry, "title", one_line(watch.question))
        _add(entry, "id", f"urn:spyglass:watch:{watch.id}:{one.run}")
        _add(entry, "updated", at)
        _add(entry, "content", text_of(watch, one.changes, "")).set("type", "text")
    beside = path.with_name(f"{path.name}.new")
    beside.write_bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))
    beside.replace(path)


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    made = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}")
    made.text = text or None
    return made
