"""A finished report with everything in it, whose spans, numbers and hashes agree with one another."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from report.written import blocks_of
from spyglass.kernel.notice import Notice
from spyglass.kernel.source import Citation, Passage, Source, Support, Verdict, digest
from spyglass.markup import Cite, Unit, mapped
from spyglass.report.report import (
    Call,
    Contradiction,
    Coverage,
    Missing,
    Near,
    Reference,
    Removed,
    Report,
    Search,
    Section,
    Side,
    Snapshot,
    Spent,
)

RETRIEVED = "2026-03-01T10:00:00+00:00"

TRIAL = """# Heat pumps in older houses: results of the Harrow trial

The Harrow trial followed 104 houses built before 1960 through two winters. None of them had been insulated beyond its
roof when the trial began. The owners kept their radiators unless an installer found them too small.

## Efficiency

Over both winters the pumps delivered 3.1 units of heat for each unit of electricity. In the coldest week, when the
outdoor temperature fell to -14 °C, the ratio was still 2.2. Ground-source pumps did better than air-source pumps, at
3.6 against 2.9, and the gap widened as it became colder.

## Comfort

Ninety-one of the 104 households said that their rooms were as warm as before or warmer. The others mostly complained
that rooms took longer to warm up after the windows had been open.

## Radiators

In 38 of the houses at least one radiator had to be replaced by a larger one. Replacing a radiator took an installer two
hours on average. No house needed underfloor heating.
"""

AGENCY = """Guidance for owners

Heat pumps: what to check first

A heat pump works in an old house when the heating water can stay at or below 55 °C on the coldest day of the year.
Owners can test this before they buy: set the boiler to 55 °C in January and see whether the rooms stay warm. About two
in three houses of the **building stock of 1920 to 1960** pass the test without any change.

The grant covers 30 percent of the cost of the installation, and at most 21,000 euros. Applications are to be made
before the contract is signed. See [the list of installers](https://agency.example/installers) for who may do the work.
"""

BLOG = """My winter with a heat pump

I am no engineer, but I keep a diary. Our house is from 1934 and drafty. Over the winter our pump delivered 2.4 units of
heat for each unit of electricity, which is far from what the brochure promised. Would I do it again? Ask me in July.

The neighbours heard the fan at night. It hums at about 50 decibels when it is freezing outside.
"""

SURVEY = """Survey of the house at Mill Lane 4
prepared for the owner

Page 3

The walls are of solid brick, 24 cm thick, without a cavity. The heat load of the house is 9.8 kW at an outdoor
temperature of -12 °C. The radiators of the ground floor give that much at 52 °C; the two in the attic do not and would
have to be replaced. The old boiler has a capacity of 24 kW, which is more than twice what the house can use.
"""

COSTS = """## Offers

| Offer | Pump | Price in euros | Radiators included |
| --- | --- | --- | --- |
| Northern Heating | 10 kW air source | 23,400 | 2 |
| Green & Daughters | 11 kW air source | 27,150 | 4 |
| Deepwell | 10 kW ground source | 41,900 | 2 |
"""

NOTES = """# Visits

## Monday

The installer from Northern Heating said that the fan must stand three metres from the bedroom window of the neighbours.
She will send the drawing by Friday.

## Tuesday

Deepwell would drill two holes of 95 metres each. The permit for drilling takes about ten weeks.
"""

ARABIC = """المضخات الحرارية في البيوت القديمة

أظهرت دراسة أن المضخات الحرارية تعمل جيدا في البيوت القديمة عندما تبقى حرارة الماء دون 55 درجة. وقد شملت الدراسة 60 بيتا
في الجبال. ويقول الباحثون إن العزل الجيد يقلل الاستهلاك بمقدار الثلث.
"""

JAPANESE = """寒冷地のヒートポンプ

寒冷地向けのヒートポンプは、外気温がマイナス25度でも暖房能力を維持します。霜取り運転のあいだは室温が一時的に下がることがあります。
導入した家庭の八割が満足していると答えました。
"""


@dataclass(frozen=True)
class Said:
    """A sentence of the report: `cites` are keys of sources and quotes of theirs."""

    text: str
    cites: tuple[tuple[str, str], ...]
    verdict: Support = "supported"
    score: float = 0.93
    reasons: tuple[Notice, ...] = ()


@dataclass
class Book:
    """Collects sources and sentences, and counts where everything stands."""

    sources: dict[str, Source] = field(default_factory=dict)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    cites: list[Cite] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def add(self, key: str, title: str, text: str, *parts: str, **more: Any) -> None:
        """Shelve a source; each of `parts` is a passage of it, the whole text when none is named."""
        kind = "file" if "path" in more else "web"
        places = {name: more.pop(name) for name in ("page", "line", "heading") if name in more}
        values = {
            "title": title,
            "summary": text,
            "brief_summary": text[:100],
            "keywords": [],
            "url": f"file:{more['path']}" if kind == "file" else "",
            "kind": kind,
            "snapshot": digest(text, size=64),
            "retrieved_at": RETRIEVED,
            "passages": [_passage(text, part, **places) for part in parts or (text,)],
        }
        source = Source.model_validate({**values, **more})
        self.sources[key] = source
        self.snapshots[key] = Snapshot(
            hash=source.snapshot,
            text=text,
            title=title,
            kind=source.kind,
            url=source.url,
            path=source.path,
            retrieved_at=source.retrieved_at,
            extractor="pypdfium2 5.1" if source.path.endswith(".pdf") else "html 1" if kind == "web" else "markdown 1",
        )

    def write(self, title: str, *parts: str | Said) -> None:
        """Write a section; parts stand side by side, as Markdown."""
        text, first = "", len(self.cites)
        said: dict[int, Said] = {}
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            said[len(self.cites) - first] = part
            text += part.text
            for key, quote in part.cites:
                self._cite(key, quote)
                text += f" [{len(self.cites) - first}]"
        cited = count()

        def judged(unit: Unit) -> Unit:
            own = [next(cited) for _ in unit.cites]
            if not own:
                return unit
            known = said[own[0]]
            verdict = Verdict(verdict=known.verdict, score=known.score, reasons=list(known.reasons))
            return unit.model_copy(update={"asserts": True, "verdict": verdict})

        blocks = mapped(blocks_of(text, *self.cites[first:]), judged)
        self.sections.append(Section(title=title, blocks=blocks))

    def side(self, key: str, quote: str) -> Side:
        """Return what a source says, as one side of a contradiction."""
        source, text = self.sources[key], self.snapshots[key].text
        start = text.index(quote)
        return Side(
            source_id=source.id,
            title=source.title,
            snapshot=source.snapshot,
            start=start,
            end=start + len(quote),
            quote=quote,
            url=source.url if source.kind == "web" else "",
            path=source.path,
            published=source.published,
            retrieved_at=source.retrieved_at,
            credibility_score=source.credibility_score,
        )

    def cited(self) -> list[Snapshot]:
        """Return the snapshots that a citation points into, each once."""
        hashes = {citation.snapshot for citation in self.citations}
        return [snapshot for snapshot in self.snapshots.values() if snapshot.hash in hashes]

    def _cite(self, key: str, quote: str) -> None:
        source, text = self.sources[key], self.snapshots[key].text
        start = text.index(quote)
        passage = next(one for one in source.passages if one.start <= start and start + len(quote) <= one.end)
        reference = self._reference(source, passage, quote)
        label = f"S{list(self.sources).index(key) + 1}.{source.passages.index(passage) + 1}"
        self.cites.append(Cite(passage=label, start=start, end=start + len(quote)))
        self.citations.append(
            Citation(
                number=reference.number,
                source_id=source.id,
                passage=source.passages.index(passage),
                snapshot=source.snapshot,
                start=start,
                end=start + len(quote),
                quote=quote,
            )
        )

    def _reference(self, source: Source, passage: Passage, quote: str) -> Reference:
        place = (passage.page, passage.line, passage.last_line, passage.heading)
        for one in self.references:
            if (one.source_id, (one.page, one.line, one.last_line, one.heading)) == (source.id, place):
                return one
        self.references.append(
            Reference(
                number=len(self.references) + 1,
                source_id=source.id,
                title=source.title,
                kind=source.kind,
                path=source.path,
                url=source.url if source.kind == "web" else "",
                domain=source.domain,
                credibility_score=source.credibility_score,
                credibility_tier=source.credibility_tier,
                published=source.published,
                page=passage.page,
                line=passage.line,
                last_line=passage.last_line,
                heading=passage.heading,
                retrieved_at=source.retrieved_at,
                quote=quote,
            )
        )
        return self.references[-1]


def _passage(text: str, part: str, **place: Any) -> Passage:
    start = text.index(part)
    end = start + len(part)
    if place.get("line"):
        first = text.count("\n", 0, start) + 1
        place = {**place, "line": first, "last_line": first + part.rstrip("\n").count("\n")}
    return Passage(text=part, start=start, end=end, **place)


def _shelf() -> Book:
    book = Book()
    web = {"credibility_tier": "tier1", "credibility_score": 88}
    book.add(
        "trial",
        "Heat pumps in older houses: results of the Harrow trial",
        TRIAL,
        url="https://institute.example/papers/harrow-trial?lang=en",
        domain="institute.example",
        published="2024-11-05",
        **web,
    )
    book.add(
        "agency",
        "Heat pumps: what to check first",
        AGENCY,
        url="https://agency.example/owners/heat-pumps",
        domain="agency.example",
        published="2025-06-18",
        **{**web, "credibility_score": 95},
    )
    book.add(
        "blog",
        "My winter with a heat pump",
        BLOG,
        url="https://drafty.example/2019/winter",
        domain="drafty.example",
        published="2019-03-02",
        credibility_score=34,
        credibility_tier="tier3",
    )
    book.add("survey", "Survey of the house at Mill Lane 4", SURVEY, path="house/survey.pdf", page=3)
    book.add("costs", "house/offers.xlsx", COSTS, path="house/offers.xlsx", heading="Offers")
    monday, tuesday = NOTES[NOTES.index("## Mon") : NOTES.index("## Tue")], NOTES[NOTES.index("## Tue") :]
    book.add("notes", "Visits", NOTES, monday, tuesday, path="notes/visits.md", line=1)
    book.add(
        "arabic",
        "المضخات الحرارية في البيوت القديمة",
        ARABIC,
        url="https://dar.example/heat",
        domain="dar.example",
        credibility_score=61,
        credibility_tier="tier2",
    )
    book.add(
        "japanese",
        "寒冷地のヒートポンプ",
        JAPANESE,
        url="https://kanrei.example/記事/暖房",
        domain="kanrei.example",
        published="2023-01-20",
        credibility_score=58,
        credibility_tier="tier2",
    )
    book.add(
        "unread", "Another page", "It is about something else.", url="https://other.example/", domain="other.example"
    )
    return book


RATIO = "Over both winters the pumps delivered 3.1 units of heat for each unit of electricity."
COLDEST = "In the coldest week, when the\noutdoor temperature fell to -14 °C, the ratio was still 2.2."
GROUND = (
    "Ground-source pumps did better than air-source pumps, at\n"
    "3.6 against 2.9, and the gap widened as it became colder."
)
WARM = "Ninety-one of the 104 households said that their rooms were as warm as before or warmer."
LARGER = "In 38 of the houses at least one radiator had to be replaced by a larger one."
TEST = "Owners can test this before they buy: set the boiler to 55 °C in January and see whether the rooms stay warm."
WORKS = (
    "A heat pump works in an old house when the heating water can stay at or below 55 °C "
    "on the coldest day of the year."
)
PASS = "About two\nin three houses of the **building stock of 1920 to 1960** pass the test without any change."
GRANT = "The grant covers 30 percent of the cost of the installation, and at most 21,000 euros."
DIARY = (
    "Over the winter our pump delivered 2.4 units of\nheat for each unit of electricity, "
    "which is far from what the brochure promised."
)
HUM = "It hums at about 50 decibels when it is freezing outside."
LOAD = "The heat load of the house is 9.8 kW at an outdoor\ntemperature of -12 °C."
ATTIC = (
    "The radiators of the ground floor give that much at 52 °C; "
    "the two in the attic do not and would\nhave to be replaced."
)
NORTHERN = "| Northern Heating | 10 kW air source | 23,400 | 2 |"
DEEPWELL = "| Deepwell | 10 kW ground source | 41,900 | 2 |"
FAN = (
    "The installer from Northern Heating said that the fan must stand three metres from the bedroom window "
    "of the neighbours."
)
PERMIT = "The permit for drilling takes about ten weeks."
ARAB = "أظهرت دراسة أن المضخات الحرارية تعمل جيدا في البيوت القديمة عندما تبقى حرارة الماء دون 55 درجة."
JAPAN = "寒冷地向けのヒートポンプは、外気温がマイナス25度でも暖房能力を維持します。"


def _write(book: Book) -> None:
    book.write(
        "Summary",
        Said(
            "A heat pump works in an old house when the heating water can stay at or below 55 °C on the coldest day.",
            (("agency", WORKS),),
        ),
        " ",
        Said(
            "In a trial with 104 houses built before 1960, the pumps delivered 3.1 units of heat for each unit of "
            "electricity over both winters.",
            (
                ("trial", RATIO),
                ("trial", "The Harrow trial followed 104 houses built before 1960 through two winters."),
            ),
        ),
        " ",
        Said(
            "For the house at Mill Lane 4 this means that **two radiators in the attic** would have to be replaced.",
            (("survey", ATTIC),),
        ),
        "\n\n",
        Said(
            "The grant covers 30 percent of the cost of the installation, and it is paid out within a month.",
            (("agency", GRANT),),
            verdict="partial",
            score=0.55,
            reasons=(Notice("part_unsupported", part="paid out within a month"),),
        ),
    )
    book.write(
        "How efficient they are in the cold",
        "### Measured\n\n",
        Said("In the coldest week, at -14 °C, the ratio was still 2.2.", (("trial", COLDEST),)),
        " ",
        Said("Ground-source pumps did better than air-source pumps, at 3.6 against 2.9.", (("trial", GROUND),)),
        "\n\n",
        Said("寒冷地向けのヒートポンプは、外気温がマイナス25度でも暖房能力を維持します。", (("japanese", JAPAN),)),
        "\n\n",
        Said(ARAB, (("arabic", ARAB),)),
        "\n\n### What can go wrong\n\n- ",
        Said("The fan hums at about 50 decibels when it is freezing outside.", (("blog", HUM),)),
        "\n- ",
        Said("In 38 of the houses at least one radiator had to be replaced by a larger one.", (("trial", LARGER),)),
        "\n- ",
        Said(
            "Ninety-one of the 104 households were as warm as before, also with old windows.",
            (("trial", WARM),),
            verdict="partial",
            score=0.48,
            reasons=(Notice("words_missing", words="windows"), Notice("quantifier_missing", what="also")),
        ),
    )
    book.write(
        "Is the house at Mill Lane ready?",
        Said(
            "Owners can test this before they buy: set the boiler to 55 °C in January "
            "and see whether the rooms stay warm.",
            (("agency", TEST),),
        ),
        " ",
        Said(
            "About two in three houses of the building stock of 1920 to 1960 pass the test without any change.",
            (("agency", PASS),),
        ),
        "\n\n1. ",
        Said("The heat load of the house is 9.8 kW at an outdoor temperature of -12 °C.", (("survey", LOAD),)),
        "\n2. ",
        Said("The fan must stand three metres from the bedroom window of the neighbours.", (("notes", FAN),)),
        "\n3. ",
        Said("The permit for drilling takes about ten weeks.", (("notes", PERMIT),)),
    )
    book.write(
        "What it costs",
        "| Offer | Price | Source |\n| --- | ---: | --- |\n| Northern Heating | 23,400 € | ",
        Said(
            "10 kW air source for 23,400",
            (("costs", NORTHERN),),
        ),
        " |\n| Deepwell | 41,900 € | ",
        Said(
            "10 kW ground source for 41,900",
            (("costs", DEEPWELL),),
        ),
        " |\n\n",
        Said("The grant is at most 21,000 euros.", (("agency", GRANT),)),
        " It is not clear from the sources whether drilling counts.",
    )


def sample(**changes: Any) -> Report:
    """Return a report of eight sources: pages and files, three scripts, partial claims, and what was left out."""
    book = _shelf()
    _write(book)
    values: dict[str, Any] = {
        "question": "Do heat pumps work in old houses in cold winters, and what would one cost at Mill Lane 4?",
        "title": "Do heat pumps work in old houses in cold winters, and what would one cost at Mill Lane 4?",
        "run": "5f2c9e",
        "date": "2026-03-01",
        "language": "en",
        "outcome": "partial",
        "confidence": "MEDIUM",
        "writer": "scripted",
        "sections": book.sections,
        "removed": [
            Removed(
                section="What it costs",
                text="Owners save 1,400 euros a year on average.",
                verdict="unsupported",
                reasons=[Notice("number_missing", what="1,400")],
            ),
            Removed(
                section="How efficient they are in the cold",
                text="The gap between the two kinds narrowed as it became colder.",
                verdict="contradicted",
                reasons=[Notice("says_instead", found="widened")],
                evidence=GROUND,
                source_id=book.sources["trial"].id,
            ),
        ],
        "contradictions": [
            Contradiction(
                subject="heat for each unit of electricity",
                first=book.side("trial", RATIO),
                second=book.side("blog", DIARY),
                newer="first",
            )
        ],
        "coverage": [
            Coverage(
                question="How efficient are heat pumps in the cold?", verdict="answered", sources=5, claims=[4, 5]
            ),
            Coverage(question="What would one cost at Mill Lane 4?", verdict="partly", sources=2, claims=[16, 17]),
            Coverage(question="How long does a heat pump last?", verdict="not found", sources=8),
        ],
        "references": book.references,
        "citations": book.citations,
        "sources": list(book.sources.values()),
        "near": [Near(source_id=book.sources["trial"].id, passage=0, start=0, end=len(TRIAL))],
        "snapshots": book.cited(),
        "independent": 7,
        "searches": [
            Search(query="heat pump old house cold winter", engine="duckduckgo", results=12),
            Search(query="heat pump lifetime", engine="duckduckgo", error="blocked: too many requests"),
            Search(query="heat pump old house cold winter", engine="local files", results=6),
        ],
        "calls": [
            Call(
                kind="model",
                what="scripted",
                count=9,
                failed=1,
                prompt_tokens=14_200,
                completion_tokens=2_100,
                cost=0.012,
            ),
            Call(kind="fetch", what="pages", count=14, failed=3),
        ],
        "queries": ["heat pump old house cold winter", "heat pump lifetime"],
        "folders": ["house", "notes"],
        "web": "searched",
        "unmentioned": ["lifetime"],
        "notices": [Notice("not_read", what="plan.dwg", why="It is a drawing.")],
        "failures": [Missing(who="web", what="https://slow.example/", why="It did not answer within 10 s")],
        "dropped_markers": 1,
        "spending": Spent(calls=9, prompt_tokens=14_200, completion_tokens=2_100, cost=0.012),
    }
    return Report.model_validate({**values, **changes})
