"""A report as a page: everything is on it, it needs nothing but itself, and nothing on it can do harm."""

import base64
import hashlib
import re
from typing import Any, get_args

from lxml import html as parser
from selectolax.lexbor import LexborHTMLParser

from report.sample import sample
from report.written import ANY, blocks_of
from spyglass.evidence.statement import shown
from spyglass.kernel.notice import LANGUAGES, Notice
from spyglass.kernel.source import Citation, Verdict, digest
from spyglass.markup import Block, CodeBlock, Heading, ListBlock, Paragraph, Row, Sentence, Style, Styled, TableBlock
from spyglass.render.html import ATTRIBUTES, TAGS, html
from spyglass.render.labels import labels_in
from spyglass.report import Report
from spyglass.report.report import Missing, Reference, Removed, Search, Section, Snapshot

WORDS = labels_in("en")


def read(page: str) -> Any:
    return parser.document_fromstring(page)


def part(tree: Any, place: str) -> str:
    (section,) = tree.xpath(f"//section[@id='{place}']")
    return " ".join(section.text_content().replace("\u00a0", " ").split())


def test_equal_reports_give_equal_bytes() -> None:
    assert html(sample()) == html(sample())


def test_every_citation_has_a_card_with_its_quote_its_source_and_a_way_to_it() -> None:
    report = sample()
    tree = read(html(report))
    entries = {reference.number: reference for reference in report.references}
    assert tree.xpath("//button[@class='marker']/text()") == [str(citation.number) for citation in report.citations]
    for index, citation in enumerate(report.citations):
        (card,) = tree.xpath(f"//*[@id='c{index + 1}']")
        text, entry = card.text_content(), entries[citation.number]
        assert card.xpath(".//mark/text()") == [shown(citation.quote)]
        assert entry.title in text
        assert (entry.domain or entry.path) in text
        assert "retrieved 2026-03-01" in text
        links = card.xpath(".//a/@href")
        assert links[-1] == f"#r{citation.number}"
        assert [link.partition("#:~:text=")[0] for link in links[:-1]] == ([entry.url] if entry.url else [])
        assert all("#:~:text=" in link for link in links[:-1])
        assert tree.xpath(f"//li[@id='r{citation.number}']")


def test_a_card_tells_place_credibility_and_age() -> None:
    cards = [" ".join(card.text_content().split()) for card in read(html(sample())).xpath("//*[@class='card']")]
    assert any("web page institute.example credibility 88/100 (high) dated 2024-11-05" in _spaced(c) for c in cards)
    assert any("credibility 34/100 (unknown domain, treat with caution)" in card for card in cards)
    assert any("local file house/survey.pdf page 3" in _spaced(card) for card in cards)
    assert any("notes/visits.md line 5" in _spaced(card) for card in cards)  # of the quote, not of its passage


def _spaced(text: str) -> str:
    """Return a text with a space where one fact ends and the next begins."""
    for fact in ("institute", "credibility", "dated", "retrieved", "house", "notes", "page", "line"):
        text = re.sub(rf"(?<=\S)(?={fact})", " ", text)
    return " ".join(text.split())


def test_sentences_that_are_partly_supported_are_marked_with_the_reasons() -> None:
    report = sample()
    tree = read(html(report))
    partial = [claim for claim in report.claims if claim.verdict == "partial"]
    assert len(tree.xpath("//span[@class='claim partial']")) == len(partial) == 2
    flags = tree.xpath("//button[@class='flag partial']")
    for claim, flag in zip(partial, flags, strict=True):
        assert flag.text == "partly supported"
        (card,) = tree.xpath(f"//*[@id='{flag.get('popovertarget')}']")
        assert all(str(reason) in card.text_content() for reason in claim.reasons)
    assert "(partly supported)" not in tree.text_content()


def test_the_head_says_how_far_to_trust_it() -> None:
    tree = read(html(sample()))
    assert tree.xpath("//title/text()") == tree.xpath("//h1/text()") == [sample().title]
    (head,) = tree.xpath("//header")
    text = " ".join(head.text_content().split())
    for said in (
        "2026-03-01",
        "Confidencemedium",
        "17 of 19 supported · 2 partly supported · 2 removed",
        "8 of 9 sources cited · 7 independent",
    ):
        assert said in text
    assert tree.xpath("//header//a/@href") == ["#missing"]
    assert "This report is incomplete" in text
    assert "Words of the question" not in text


def test_what_is_doubtful_missing_and_searched_has_a_part_of_its_own() -> None:
    tree = read(html(sample()))
    disagree = part(tree, "contradictions")
    for said in ("3.1 units of heat", "2.4 units of heat", "dated 2024-11-05", "dated 2019-03-02", "newer"):
        assert said in disagree
    assert "credibility 34/100" in disagree
    assert len(tree.xpath("//section[@id='contradictions']//*[@class='badge']")) == 1
    assert "How long does a heat pump last?not found in 8 sources" in part(tree, "coverage")
    assert "Owners save 1,400 euros a year on average." in part(tree, "removed")
    assert "the gap widened as it became colder" in part(tree, "removed")
    assert "It did not answer within 10 s" in part(tree, "missing")
    assert "heat pump lifetimeduckduckgoblocked: too many requests" in part(tree, "searched")
    assert "Not read: plan.dwg" in part(tree, "searched")
    assert tree.xpath("//details[not(@open)]/ancestor::section/@id") == ["removed", "searched"]


def test_the_only_question_is_not_told_again_where_it_is_answered() -> None:
    (one, *_) = sample().coverage
    for verdict, told in (("answered", False), ("not found", True)):
        report = sample(coverage=[one.model_copy(update={"verdict": verdict, "ranked": ""})])
        assert bool(read(html(report)).xpath("//section[@id='coverage']")) == told
        assert ("What was answered" in report.markdown) == told


def test_where_all_that_is_found_may_help_that_is_not_told_of_each_question() -> None:
    unsure, other = (one.model_copy(update={"verdict": "partly", "ranked": "perhaps"}) for one in sample().coverage[:2])
    assert "What was answered" not in sample(coverage=[unsure, other]).markdown
    surely = other.model_copy(update={"verdict": "answered", "ranked": "answered"})
    assert "What was answered" in sample(coverage=[unsure, surely]).markdown


def test_the_references_are_numbered_and_quote_what_is_cited() -> None:
    report = sample()
    entries = read(html(report)).xpath("//ol[@class='references']/li")
    assert [entry.get("id") for entry in entries] == [f"r{reference.number}" for reference in report.references]
    for citation in report.citations:
        assert shown(citation.quote) in entries[citation.number - 1].text_content()


def test_a_long_report_has_a_table_of_contents_and_a_short_one_none() -> None:
    tree = read(html(sample()))
    headings = dict(zip(tree.xpath("//section/@id"), tree.xpath("//h2/text()"), strict=True))
    assert {link.get("href")[1:]: link.text for link in tree.xpath("//nav//a")} == headings
    short = sample(sections=sample().sections[:1], contradictions=[], coverage=[], removed=[], failures=[])
    short = short.model_copy(update={"dropped_markers": 0, "claims": []})
    assert not read(html(short)).xpath("//nav")


def test_every_outcome_is_said() -> None:
    nothing = sample(
        outcome="nothing_found", sections=[], claims=[], citations=[], references=[], snapshots=[], confidence=None
    )
    tree = read(html(nothing))
    assert WORDS.nothing_clear in part(tree, "nothing"), "one of the nearest may answer after all"
    bare = part(read(html(nothing.model_copy(update={"near": []}))), "nothing")
    assert bare == f"{WORDS.nothing}{WORDS.nothing_said}"
    nearest = nothing.sources[0]
    assert f"{WORDS.nearest_places} {nearest.path or nearest.title}" in part(tree, "nothing")
    quoted = [section.model_copy(update={"quoted": True}) for section in sample().sections]
    unsure = read(html(sample(writer="", sections=quoted, confidence=None)))
    (folded,) = unsure.xpath(f"//section[@id='s{len(quoted)}']/details")
    assert [WORDS.also_near] == folded.xpath("summary/text()"), "what rarely answers is not in the way of what may"
    assert folded.xpath("ul/li//text()")[0].startswith(nearest.path or nearest.title)
    assert WORDS.advised[0] in part(tree, "advice")
    assert "Words of the question that occur in none of the passages found: lifetime" in part(tree, "searched")
    assert WORDS.stopped in read(html(sample(outcome="cancelled"))).xpath("//*[@class='banner']/text()")
    assert not read(html(sample(outcome="complete"))).xpath("//*[@class='banner']")
    assert WORDS.extractive in read(html(sample(writer=""))).xpath("//*[@class='note']/text()")


def test_words_look_as_their_styles_say() -> None:
    elements = {"strong": "strong", "emphasis": "em", "struck": "s", "code": "code"}
    assert elements.keys() == set(get_args(Style))
    parts = [Styled(text=f"of {style} ", style=[style]) for style in get_args(Style)]
    section = Section(title="Styles", blocks=[Paragraph(sentences=[Sentence(parts=list(parts))])])
    (body,) = read(html(sample(sections=[section]))).xpath("//section[@id='s1']")
    for style, name in elements.items():
        assert body.xpath(f".//{name}[text()='of {style} ']"), style


def test_the_page_is_in_the_language_of_the_report() -> None:
    for language in LANGUAGES:
        tree = read(html(sample(language=language)))
        words = labels_in(language)
        assert tree.get("lang") == language
        headings = {words.references, words.contradictions, words.coverage, words.searched}
        assert headings <= set(tree.xpath("//h2/text()")), language
        assert words.open_there in tree.xpath("//a/text()"), language
        assert not re.search(r"\{[nm]\}", tree.text_content()), language


def test_what_is_in_another_language_says_so_and_runs_its_own_way() -> None:
    tree = read(html(sample(language="ar")))
    assert tree.get("lang") == "en"
    assert tree.xpath("//section[@id='s1']/@lang") == ["ar"]
    prose = tree.xpath("//section[@lang='ar']//*[self::p or self::li or self::td or self::h2 or self::h3]")
    assert {block.get("dir") for block in prose} == {"auto"}
    assert {title.get("dir") for title in tree.xpath("//h1 | //h2")} == {"auto"}
    assert {quote.get("dir") for quote in tree.xpath("//*[@class='quote'] | //blockquote")} == {"auto"}


def _policy(page: str) -> str:
    (policy,) = read(page).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    return str(policy)


def test_the_policy_allows_the_pages_own_style_and_nothing_else() -> None:
    page = html(sample())
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert _policy(page) == (
        f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style


def harmless(page: str) -> Any:
    """Return the page's tree, after a look at every element and attribute of its body, as HTML 5 is read."""
    body = LexborHTMLParser(page).body
    assert body is not None
    for node in body.css("*"):
        assert node.tag in TAGS | {"body"}, node.tag
        allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(node.tag, set()) | ({"rel"} if node.tag == "a" else set())
        assert set(node.attributes) <= allowed, node.attributes
        assert re.match(r"https?://|#[a-z]|$", node.attributes.get("href") or "")
    tree = read(page)
    names = tree.xpath("//@id")
    assert len(names) == len(set(names))
    assert set(tree.xpath("//@popovertarget")) == set(tree.xpath("//*[@popover]/@id"))
    assert {link[1:] for link in tree.xpath("//a/@href") if link.startswith("#")} <= set(names)
    return tree


HOSTILE = [
    '"><script>alert(1)</script><img src=x onerror=alert(1)>',
    "</style></title></textarea><script>alert(1)</script>",
    "' onmouseover='alert(1)' style='position:fixed' \" autofocus onfocus=alert(1) x=\"",
    "javascript:alert(1)",
    "](javascript:alert(1)) ![x](https://evil.example/p.png) <https://evil.example>",
    "data:text/html,<script>alert(1)</script>",
    '\\"} @import "https://evil.example"; * {background:url(https://evil.example)}',
    "&lt;script&gt; &#60;script&#62; \u202e\u2066\x00\x1b\ud800\ufffe <!-- <![CDATA[ <svg><style>",
    "> " * 400 + "deep",
    "|" + " a |" * 300 + "\n|" + " - |" * 300 + "\n|" + " b |" * 300,
]


def hostile(text: str) -> Report:
    """Return a report with a text wherever a source, a model or a person may write one."""
    clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    name = digest(clean, size=64)
    entry = Reference(
        number=1,
        source_id=text,
        title=text,
        kind="web",
        url=text,
        path=text,
        domain=text,
        published=text,
        retrieved_at=text,
        heading=text,
        credibility_tier=text,
        credibility_score=1,
        quote=text,
    )
    side = (
        sample()
        .contradictions[0]
        .first.model_copy(
            update={"title": text, "quote": text, "url": text, "path": text, "published": text, "retrieved_at": text}
        )
    )
    reason = Notice("says_otherwise", found=text, what=Notice(text, **{text: text}))
    verdict = Verdict(verdict="partial", score=0.5, reasons=[reason])
    styled = Styled(text=text, style=["strong", "struck"], href=text)
    row = Row(cells=[[text], [styled]])
    blocks: list[Block] = [
        Paragraph(sentences=[Sentence(parts=[text, styled]), Sentence(parts=[Styled(text=text, style=["code"])])]),
        Paragraph(sentences=[Sentence(parts=["It is said.", ANY], asserts=True, verdict=verdict)]),
        Heading(parts=[text], level=1),
        ListBlock(items=[[Paragraph(sentences=[Sentence(parts=[text])])]]),
        TableBlock(head=row, rows=[]),
        CodeBlock(code=text, language=text),
    ]
    return sample(
        title=text,
        question=text,
        run=text,
        date=text,
        sections=[Section(title=text, blocks=blocks)],
        references=[entry],
        citations=[Citation(number=1, source_id=text, passage=0, snapshot=name, start=0, end=len(clean), quote=clean)],
        snapshots=[Snapshot(hash=name, text=clean, title=text, kind="web", url=text)],
        removed=[Removed(section=text, text=text, verdict="unsupported", reasons=[reason], evidence=text)],
        contradictions=[sample().contradictions[0].model_copy(update={"subject": text, "first": side})],
        searches=[Search(query=text, engine=text, error=text)],
        failures=[Missing(who=text, what=text, why=text)],
        queries=[text],
        folders=[text],
        filters=[text],
        unmentioned=[text],
        notices=[text, reason],
    )


def test_whatever_a_source_a_model_or_a_person_wrote_does_no_harm() -> None:
    for text in HOSTILE:
        page = html(hostile(text))
        page.encode()
        assert len(harmless(page).xpath("//*[@class='marker']")) == 1, text
        assert page.count("<style>") == page.count("</style>") == 1, text
        assert "script" not in {node.tag for node in read(page).iter()}, text


def test_an_ordinary_page_is_harmless_too() -> None:
    tree = harmless(html(sample()))
    assert len(tree.xpath("//*[@class='marker']")) == len(sample().citations)
    assert {*tree.xpath("//a[starts-with(@href, 'http')]/@target")} == {"_blank"}, "a frame shows no other site"
    assert not tree.xpath("//a[starts-with(@href, 'http')][not(@target)] | //a[starts-with(@href, '#')][@target]")


def test_a_text_of_anothers_reporter_is_shown_without_what_could_do_harm() -> None:
    text = "# Answer\n\nSee [here](https://e.example/) and [there](javascript:alert(1)).\n\n<script>alert(1)</script>"
    tree = harmless(html(sample(given=text)))
    assert tree.xpath("//h1/text()") == ["Answer"]
    assert tree.xpath("//main//a/@href") == ["https://e.example/"]


def test_only_what_the_cards_show_of_a_source_is_on_the_page() -> None:
    quote = "The answer is seven minutes."
    text = "Nothing to see. " * 40_000 + quote + " Nothing to see." * 40_000
    name, start = digest(text, size=64), text.index(quote)
    base = sample()
    report = sample(
        sections=[Section(title="Answer", blocks=blocks_of("It is seven minutes. [1]"))],
        citations=[
            Citation(
                number=1, source_id="s", passage=0, snapshot=name, start=start, end=start + len(quote), quote=quote
            )
        ],
        references=[base.references[0]],
        snapshots=[Snapshot(hash=name, text=text, title="Long", kind="web", url="https://long.example/")],
    )
    page = html(report)
    assert len(text) > 1_000_000
    assert len(page) < len(html(base))
    (card,) = read(page).xpath("//*[@id='c1']")
    assert re.search(
        r"… (?:\w+ )?\w+ see\. (?:Nothing to see\. ){5,}The answer is seven minutes\.", card.text_content()
    )


def test_a_report_without_anything_is_a_page() -> None:
    bare = {"question": "Why?", "title": "Why?", "run": "r", "date": "2026-03-01", "language": "en"}
    tree = harmless(html(Report.model_validate({**bare, "outcome": "nothing_found"})))
    assert tree.xpath("//h1/text()") == ["Why?"]


def test_a_part_of_the_question_without_an_answer_is_told_above_the_answer() -> None:
    told = "How long does a heat pump last? – not found in 8 sources"

    def asked(*ranked: str) -> Report:
        parts = zip(sample().coverage, ranked, strict=False)
        return sample(coverage=[one.model_copy(update={"ranked": rank}) for one, rank in parts])

    number = next(place for place, one in enumerate(sample().coverage) if one.question in told)
    ranks = ["answered"] * len(sample().coverage)
    ranks[number] = "not found"
    assert f"*{told}*" in asked(*ranks).markdown.partition("\n## ")[0]
    assert told in html(asked(*ranks)).partition("<section")[0]
    nowhere = ["not found"] * len(ranks)
    by_words = [""] * len(ranks)
    assert f"*{told}*" not in asked(*nowhere).markdown + asked(*by_words).markdown
