"""Sends notifications of changes by webhook, e-mail and Atom feed."""

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
from ..kernel.one_line import one_line, sanitized
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..net import Client
from ..render import Labels, labels_in
from .changes import Quoted, ValueChange
from .watch_store import Watch

DEADLINE: Final = 20.0  # seconds per channel
MOST_ENTRIES: Final = 100  # entries of the feed
_ATOM: Final = "http://www.w3.org/2005/Atom"


async def notify(
    watch: Watch, changes: Sequence[ValueChange], problem: str, watches: Sequence[Watch], settings: Settings
) -> list[str]:
    """Send the changes, or a problem, to each channel of the settings, and return the failures as texts.

    A channel that fails does not stop the others.
    """
    options = settings.watch
    failed: list[str] = []
    if changes and options.atom is not None:
        failed += await _attempt("the Atom feed", in_thread(write_feed, watches, options.atom))
    if (changes or problem) and options.webhook is not None:
        failed += await _attempt(
            "the webhook", _post(options.webhook.get_secret_value(), payload(watch, changes, problem), settings)
        )
    if (changes or problem) and options.email_to:
        failed += await _attempt("the e-mail", in_thread(partial(_mail, watch, changes, problem, settings)))
    return failed


async def _attempt(channel: str, sending: Any) -> list[str]:
    try:
        await sending
    except (SpyglassError, OSError, smtplib.SMTPException) as error:
        return [f"Notification by {channel} failed: {error}"]
    return []


def payload(watch: Watch, changes: Sequence[ValueChange], problem: str) -> dict[str, Any]:
    """Return the JSON body for a webhook."""
    records = [change.model_dump(mode="json") for change in changes]
    return {"watch": watch.id, "question": watch.question, "run": watch.run, "changes": records, "problem": problem}


def text_of(watch: Watch, changes: Sequence[ValueChange], problem: str) -> str:
    """Return a notification as text: for each change the earlier and the current quote."""
    lines, words = [watch.question, ""], words_of(watch)
    for change in changes:
        headline = words.changed.format(what=change.what, found=change.found)
        lines += [headline if change.before else words.new.format(found=change.found)]
        lines += [f"  {words.before.format(quote=_quote_line(change.before, words))}"] if change.before else []
        lines += [f"  {words.now.format(quote=_quote_line(change.after, words))}", ""]
    lines += [words.not_asked.format(why=problem)] if problem else []
    return sanitized("\n".join(lines).rstrip())


def words_of(watch: Watch) -> Labels:
    """Return the labels of a notification, in the question's language."""
    return labels_in(resolved(str(watch.settings.get("language", "auto")), watch.question))


def _quote_line(quoted: Quoted, words: Labels) -> str:
    dates = ", ".join(filter(None, [quoted.published, quoted.read and words.retrieved.format(date=quoted.read)]))
    return f"“{one_line(quoted.text)}” ({one_line(quoted.title)}, {quoted.place}{', ' if dates else ''}{dates})"


async def _post(url: str, content: dict[str, Any], settings: Settings) -> None:
    """Post JSON to an address of the settings, through the network guard: private addresses must be allowed."""
    async with Client(settings) as client:
        answer = await client.request(
            "POST",
            url,
            json=content,
            max_bytes=65_536,
            connect_deadline=DEADLINE,
            total_deadline=DEADLINE,
        )
    if answer.status >= 300:
        raise UnreachableError(f"It answered with status {answer.status}")


def _mail(watch: Watch, changes: Sequence[ValueChange], problem: str, settings: Settings) -> None:
    """Send an e-mail by the server of the settings, with STARTTLS if offered; a password requires it. Blocks."""
    options = settings.watch
    host, _, port = options.smtp.partition(":")
    message = EmailMessage()
    words = words_of(watch)
    changed = words.changes.format(n=len(changes), question=watch.question)
    subject = changed if changes else words.not_asked.format(why=watch.question)
    message["Subject"] = one_line(subject)[:200]
    message["From"] = options.email_from or options.email_to[0]
    message["To"] = ", ".join(options.email_to)
    message.set_content(text_of(watch, changes, problem))
    with smtplib.SMTP(host, int(port or 25), timeout=DEADLINE) as server:
        server.ehlo()
        if server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        elif options.smtp_password is not None:
            raise SettingsError("The mail server does not offer TLS, so no password is sent to it", where="watch.smtp")
        if options.smtp_password is not None:
            server.login(options.smtp_user, options.smtp_password.get_secret_value())
        server.send_message(message)


def write_feed(watches: Sequence[Watch], path: Path) -> None:
    """Write the changes of all watches as an Atom feed, the latest first. Blocks. Raises OSError."""
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    news = sorted(((news.at, watch, news) for watch in watches for news in watch.news), key=lambda entry: entry[0])[
        ::-1
    ]
    _add(feed, "title", "Spyglass: what has changed")
    _add(feed, "id", "urn:spyglass:watches")
    _add(feed, "updated", news[0][0] if news else "1970-01-01T00:00:00+00:00")
    _add(_add(feed, "author"), "name", "Spyglass")
    for at, watch, item in news[:MOST_ENTRIES]:
        entry = _add(feed, "entry")
        _add(entry, "title", one_line(watch.question))
        _add(entry, "id", f"urn:spyglass:watch:{watch.id}:{item.run}")
        _add(entry, "updated", at)
        _add(entry, "content", text_of(watch, item.changes, "")).set("type", "text")
    new_path = path.with_name(f"{path.name}.new")
    new_path.write_bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))
    new_path.replace(path)


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    element = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}")
    element.text = text or None
    return element
