"""A generated site: pages that are worth reading, and what leads a crawler astray."""

from itertools import count

from .prose import article
from .web import Reply, Visit, WebServer

_WORDS = "basin quay mole ferry crane granite barge pilot cargo anchor tide harbour dredger customs rope sail"
WORDS = _WORDS.split()
QUESTION = "When was the lantern of the lighthouse replaced?"
ANSWER = "The lantern of the lighthouse was replaced in 1926."
ROBOTS = "User-agent: *\nDisallow: /private/\n"


def put_site(server: WebServer, number: int = 300, *, script: bool = False) -> str:
    """Serve a site of so many pages on the first host, and return its address.

    Each page links to three others, in several spellings, and to traps: an endless calendar, session ids that are new
    with each visit, paths that robots.txt denies, redirects that lead away, other hosts, private addresses. The page
    `/page/N` of the last number answers QUESTION, and the path to it speaks of lighthouses. With `script` a program
    makes the text of the pages, which without one are empty.
    """
    sessions = count()
    way = set(_way(number - 1))
    away = server.url("/away", "127.0.0.2")

    def page(one: int) -> Reply:
        def link(other: int) -> str:
            path = f"/page/{other}" if other else "/"
            topic = "The lighthouse" if other in way else f"On the {WORDS[other % len(WORDS)]}"
            forms = (path, f"{path}#top", f"{path}?utm_source=menu", f"{path}?sid={next(sessions)}")
            return " ".join(f"<a href='{form}'>{topic}</a>" for form in forms)

        links = [link(other) for other in range(3 * one + 1, 3 * one + 4) if other < number]
        links += [f"<a href='{url}'>elsewhere</a>" for url in (away, *OUTSIDE)]
        links += [f"<a href='{path}{one}'>more</a>" for path in ("/private/", "/leaves/", "/old/")]
        links += [
            "<a href='/calendar?month=0'>Calendar</a>",
            "<a href='/picture.png'>A picture</a>",
            "<a href='/'>Up</a>",
        ]
        text = f"{ANSWER} {_text(one)}" if one == number - 1 else _text(one, in_way=one in way)
        return Reply(_scripted(text, links) if script else article(f"Page {one}", text, body=" ".join(links)))

    def calendar(visit: Visit) -> Reply:
        month = int(visit.path.partition("month=")[2] or 0)
        others = "".join(f"<a href='/calendar?month={month + step}'>{step:+}</a>" for step in (-1, 1))
        return Reply(article(f"Month {month}", f"In month {month} there is nothing on. " * 9, body=others))

    server.put("/robots.txt", Reply(ROBOTS, content_type="text/plain"))
    server.put("/calendar", calendar)
    for one in range(number):
        server.put(f"/page/{one}" if one else "/", lambda _, one=one: page(one))
        server.put(f"/private/{one}", article("Denied", "Nobody is to read this. " * 9))
        server.put(f"/leaves/{one}", Reply(status=302, headers={"Location": away}))
        server.put(f"/old/{one}", Reply(status=301, headers={"Location": f"/page/{one}" if one else "/"}))
    return server.url("/")


OUTSIDE = (
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://[::1]/",
    "http://127.0.0.1:1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,hello",
    "mailto:nobody@site.example",
    "https://elsewhere.example/",
)
"""Addresses that no crawl of the site may ask."""


def _way(number: int) -> list[int]:
    """Return the pages that lead to one."""
    return [number, *_way((number - 1) // 3)] if number > 0 else [0]


def _text(number: int, *, in_way: bool = False) -> str:
    """Return the text of a page, which no other page has."""
    words = [WORDS[(number // step) % len(WORDS)] for step in (1, len(WORDS), len(WORDS) ** 2)]
    topic = "It leads to the lighthouse. " if in_way else ""
    return topic + f"The {words[0]} by the {words[1]} belongs to the {words[2]} and is {number} metres long. " * 4


def _scripted(text: str, links: list[str]) -> str:
    return (
        "<!doctype html><title>Site</title><div id=root></div><script>const made = document.createElement('main');"
        f"made.innerHTML = `<p>{text}</p>{' '.join(links)}`; root.append(made)</script>"
    )
