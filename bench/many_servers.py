"""The loopback servers that `many.py` meets, in a process of their own: a model, a search engine and a web.

    python many_servers.py [SLOWNESS] [HITS]

Prints the settings with which runs meet them as one line of JSON, and serves until its input ends. For each line of
that it prints the calls that came since the last one: what was asked, and when it came and was answered, in seconds of
the system's monotonic clock. An answer takes SLOWNESS times as long as usual, and a search finds so many HITS.
"""

import asyncio
import hashlib
import json
import random
import re
import sys
import time
import zlib
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from loopback import ModelServer, Reply, Say, SearchServer, Visit, WebServer, article
from loopback.search import Hit, Hits, SearchCall
from loopback.server import PromptRequest
from loopback.web import HOSTS
from spyglass.kernel.sentence import sentence_spans

MODEL, SEARCH, PAGE = (0.2, 0.6), 0.3, 0.2
"""Seconds that an answer takes; for a model between two bounds."""

SLOWNESS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
CALLS: list[tuple[str, float, float]] = []
"""What was asked since it was last told, and when it came and was answered."""

HITS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
TOPIC = re.compile(r"topic\d+")
SOURCE = re.compile(r'<source id="(S[\d.]+)"[^>]*>\n(.*?)\n</source>', re.DOTALL)
ASPECTS = ("harbour", "lighthouse", "railway", "market", "bridge", "observatory")
SUBJECTS = (
    "north mole", "cast-iron tower", "grain quay", "steam crane", "pilot station", "goods shed", "fish auction",
    "signal box", "dry dock", "customs house", "tidal basin", "coal wharf", "lens room", "ferry landing", "rope walk",
    "granite breakwater", "keeper's cottage", "narrow-gauge line", "ice house", "chain locker", "weighbridge",
    "salt store", "boat slip", "telegraph office", "swing gate", "water tower", "turntable", "seamen's mission",
)  # fmt: skip
NAMES = ("Anna Berg", "Jonas Falk", "Maria Sund", "the Altmere Company", "Carl Lind", "the guild of pilots")
MATTERS = ("oak piles", "slate roofs", "copper cables", "granite blocks", "brass fittings", "tarred ropes", "cement")
FACTS = (
    "The {subject} of the {aspect} was built between {year} and {later} by {name}.",
    "At low water the {subject} stands {size} millimetres above the sand, which is {months} more than in {year}.",
    "In the winter of {year} a storm carried {months} {matter} away from the {subject}, and {name} had them replaced.",
    "Since {later} visitors of {topic} may climb the {subject} from May to September.",
    "When {name} measured the {subject} again, it had sunk by {months} centimetres under the weight of its {matter}.",
    "For the {subject} the town council of {topic} paid {more} crowns, of which {name} lent a third.",
    "Ships brought the {matter} for the {subject} from the quarries at Strand, {months} loads a week until {later}.",
    "A drawing by {name} shows how the {matter} of the {subject} were joined before {year}.",
    "Nobody remembers why the {subject} was painted {months} times between {year} and {later}.",
    "Some {more} people worked near the {subject} when the {aspect} of {topic} was busiest.",
)


def noted(what: str, seconds: float) -> float:
    """Note a call that is answered after so many seconds, and return how long that takes here."""
    came, seconds = time.monotonic(), seconds * SLOWNESS
    CALLS.append((what, came, came + seconds))
    return seconds


def page(visit: Visit) -> Reply:
    """Return an article of some thousand words about the topic in its address, always the same."""
    place = parse_qs(urlsplit(visit.path).query)
    topic, number = place["topic"][0], place["page"][0]
    chance = random.Random(f"{topic} {number}")
    paragraphs = [" ".join(_sentence(chance, topic) for _ in range(5)) for _ in range(12)]
    return Reply(article(f"{topic} {number}", *paragraphs), delay=noted(f"page {visit.path}", PAGE))


def _sentence(chance: random.Random, topic: str) -> str:
    year = chance.randrange(1850, 1950)
    return chance.choice(FACTS).format(
        aspect=chance.choice(ASPECTS),
        subject=chance.choice(SUBJECTS),
        name=chance.choice(NAMES),
        matter=chance.choice(MATTERS),
        topic=topic,
        year=year,
        later=year + chance.randrange(2, 40),
        size=chance.randrange(100, 900),
        more=chance.randrange(1_000, 9_000),
        months=chance.randrange(2, 60),
    )


def hits(sought: SearchCall, port: int) -> Hits:
    """Return pages about the topic that the query names; other queries find others of them."""
    found = TOPIC.search(sought.query)
    topic, first = found[0] if found else "topic0", zlib.crc32(sought.query.encode()) % max(1, HITS // 2)
    urls = [f"http://{HOSTS[n % len(HOSTS)]}:{port}/read?topic={topic}&page={first + n}" for n in range(HITS)]
    snippet = f"About the harbour and the railway of {topic}."
    delay = noted(f"search {sought.query}", SEARCH)
    return Hits(tuple(Hit(url, f"{topic} {n}", snippet, 0.9 - n / 20) for n, url in enumerate(urls)), delay)


def answer(asked: PromptRequest) -> Say:
    """Plan when asked to plan, else say a sentence of each passage that is offered."""
    prompt = asked.system + asked.user
    chance = random.Random(zlib.crc32(prompt.encode()))
    found = TOPIC.search(prompt)
    blocks = SOURCE.findall(asked.user)
    text = _sections(blocks) if blocks else _plan(found[0] if found else "topic0")
    asks = hashlib.sha256(prompt.encode()).hexdigest()
    return Say(text, delay=noted(f"model {asks} of {found[0] if found else 'nothing'}", chance.uniform(*MODEL)))


def _sections(blocks: list[tuple[str, str]]) -> str:
    said = [(label, text[slice(*sentence_spans(text)[-1])]) for label, text in blocks[:8]]
    return " ".join(f"{sentence.rstrip('.')} [{label}]." for label, sentence in said)


def _plan(topic: str) -> str:
    tasks = [
        {
            "task": f"the {aspect} of {topic}",
            "agent": "quick-searcher",
            "queries": [f"{topic} {aspect} built", f"{topic} {aspect} size"],
        }
        for aspect in ASPECTS[:2]
    ]
    return json.dumps({"tasks": tasks, "sections": ["Harbour", "Lighthouse"]})


async def main() -> None:
    """Serve until the input ends."""
    async with ModelServer().running() as model, SearchServer().running() as search, WebServer().running() as web:
        model.play(answer)
        search.play(lambda sought: hits(sought, web.port))
        web.put("/read", page)
        settings = {
            "searxng_url": f"{search.url}/searxng",
            "web": True,
            "provider": "openai",
            "model": "loop",
            "base_url": model.base_url("openai"),
            "network.allow_private": ["127.0.0.0/8"],
        }
        print(json.dumps(settings), flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(CALLS), flush=True)
            CALLS.clear()


if __name__ == "__main__":
    asyncio.run(main())
