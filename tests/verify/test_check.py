"""Somebody else's report is held against what it cites, and against all that was read."""

import asyncio
import re
from pathlib import Path

import pytest

from loopback import ModelServer, PromptRequest, Reply, Say, WebServer
from spyglass.kernel.errors import FolderError, ForeignReportError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.render.html import html
from spyglass.verify.check import LARGEST, Check, CheckedSentence, check
from spyglass.verify.verify import verify

BUILT = "The harbour of Altmere was built in 1871 by the company of Anna Berg."
DEEP = "The basin of the Altmere harbour is seven metres deep at low water."
MORE = "The ferry to Strand leaves the southern mole four times a day between May and September."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        network__allow_private=["127.0.0.0/8"],
        browser__mode="never",
        retrieval__dense=False,
        fetch__attempts=1,
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "more").mkdir(parents=True)
    (folder / "harbour.md").write_text(f"# The harbour\n\n{BUILT} It took nine years.\n")
    (folder / "more" / "depth.txt").write_text(f"{DEEP}\n\n{MORE}\n")
    return folder


async def checked(
    tmp_path: Path, settings: Settings, text: str, *folders: Path, web: bool = False, name: str = "theirs.md"
) -> Check:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    async with Run("check", settings, journal=Journal()) as run:
        return await check(run, path, folders, web=web)


def claim(found: Check, words: str) -> CheckedSentence:
    return next(one for one in found.claims if words in one.text)


async def test_a_sentence_that_its_page_says_is_supported(
    tmp_path: Path, settings: Settings, web_server: WebServer
) -> None:
    url = web_server.put_article("/a", "The harbour", BUILT, MORE)
    found = await checked(
        tmp_path, settings, f"Anna Berg's company built the harbour of Altmere in 1871 [1].\n\n[1]: {url}", web=True
    )
    (one,) = found.claims
    assert (one.verdict, one.quote and one.quote.source) == ("supported", url)
    assert one.quote is not None
    assert one.quote.text in BUILT
    assert found.holds


async def test_what_another_page_says_is_told_beside_the_verdict(
    tmp_path: Path, settings: Settings, web_server: WebServer
) -> None:
    right = web_server.put_article("/right", "The depth", DEEP, MORE)
    wrong = web_server.put_article("/wrong", "The harbour", BUILT, MORE)
    text = (
        f"The basin is seven metres deep at low water ([port]({wrong})). {BUILT.rstrip('.')} ([port]({wrong})). "
        f"{MORE.rstrip('.')} ({right})."
    )
    found = await checked(tmp_path, settings, text, web=True)
    one = claim(found, "seven metres")
    assert one.verdict in ("unsupported", "partial", "contradicted")
    assert one.elsewhere is not None
    assert (one.elsewhere.source, one.elsewhere.text) == (right, DEEP)
    assert any("The cited source does not say this" in str(reason) for reason in one.reasons)
    assert [one.verdict for one in found.claims][1:] == ["supported", "supported"]


async def test_a_page_that_is_not_there_is_a_dead_link_and_a_number_without_a_reference_invented(
    tmp_path: Path, settings: Settings, web_server: WebServer
) -> None:
    gone = web_server.put("/gone", Reply(status=404))
    closed = web_server.put("/closed", Reply(status=403))
    text = (
        f"The harbour has nine cranes of steel [1]. The pilots wear red coats in winter [2]. "
        f"The quay was paved with granite in 1880 [3]. The customs house burned down twice [9].\n\n"
        f"## References\n1. {gone}\n2. {closed}\n3. http://no-such-host.invalid/x\n"
    )
    found = await checked(tmp_path, settings, text, web=True)
    assert [cited.state for cited in found.citations] == ["dead", "unreadable", "dead", "invented"]
    assert [one.verdict for one in found.claims] == ["unchecked", "unchecked", "unchecked", "unsupported"]
    dead, (invented,) = found.cited("dead"), found.cited("invented")
    assert "The page does not exist" in dead[0].why
    assert "No reference has this number" in invented.why
    assert {failure.why for failure in found.report.failures} >= {dead[0].why, invented.why}


async def test_files_are_cited_by_name_and_searched_for_what_cites_nothing(
    tmp_path: Path, settings: Settings, files: Path
) -> None:
    text = (
        f"{BUILT.rstrip('.')} (harbour.md). {DEEP.rstrip('.')} (see depth.txt, p. 1). {MORE} "
        "The harbour sleeps on a bed of nails (harbour.md). The pope owns nine yachts (missing.pdf). "
        "It took nine years (Smith 2020)."
    )
    found = await checked(tmp_path, settings, text, files)
    assert [one.verdict for one in found.claims] == [
        "supported", "supported", "supported", "unsupported", "unsupported", "supported",
    ]  # fmt: skip
    assert [cited.place for cited in found.citations][:2] == ["harbour.md", "more/depth.txt"]
    assert [cited.state for cited in found.citations][-2:] == ["invented", "unresolved"]
    assert claim(found, "ferry").cites == []
    quote = claim(found, "ferry").quote
    assert quote is not None
    assert (quote.source, quote.place) == ("more/depth.txt", "line 3")


async def test_the_quote_of_a_sentence_is_as_much_of_its_source_as_has_to_do_with_it(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "stove.md").write_text(
        "The old stove of Altmere burns wood only. The new stove uses less fuel than the old stove. Its chimney is "
        "made of steel, and the doors of both are cast in Strand by the Berg company, which also makes kettles.\n\n"
        "Every door is locked at night, except in the summer months, when the watchman from the mill sleeps there.\n"
    )
    text = "The new stove uses less fuel than the old one (stove.md). Its chimney is made of steel (stove.md). "
    found = await checked(tmp_path, settings, f"{text}Every door is locked at night (stove.md).", folder)
    quotes = [one.quote.text for one in found.claims if one.quote]
    assert quotes[:2] == ["The new stove uses less fuel than the old stove.", "Its chimney is made of steel"]
    assert quotes[2].startswith("Every door is locked at night, except in the summer months")


async def test_the_place_of_a_quote_is_told_in_the_language_of_the_text(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "hafen.md").write_text("# Der Hafen\n\nDer Hafen wurde 1901 mit einer Schleuse ausgebaut.\n")
    found = await checked(tmp_path, settings, "Der Hafen wurde 1901 mit einer Schleuse ausgebaut (hafen.md).", folder)
    quote = found.claims[0].quote
    assert quote is not None
    assert (quote.source, quote.place) == ("hafen.md", "Zeile 3")


async def test_pages_are_left_alone_without_being_asked_for(
    tmp_path: Path, settings: Settings, files: Path, web_server: WebServer
) -> None:
    url = web_server.put_article("/a", "The harbour", BUILT)
    found = await checked(tmp_path, settings, f"{BUILT.rstrip('.')} [port]({url}).", files)
    assert (found.citations[0].state, found.claims[0].verdict) == ("not followed", "supported")
    assert web_server.visits == []


async def test_no_address_of_the_report_reaches_into_the_private_network(
    tmp_path: Path, settings: Settings, web_server: WebServer
) -> None:
    closed = settings.updated(network__allow_private=[])
    url = web_server.put_article("/a", "The harbour", BUILT)
    found = await checked(tmp_path, closed, f"{BUILT.rstrip('.')} [1]({url}) [2](file:///etc/passwd).", web=True)
    assert found.citations[0].state == "unreadable"
    assert web_server.visits == []
    assert found.claims[0].verdict != "supported"


async def test_only_so_many_places_are_looked_up(tmp_path: Path, settings: Settings, web_server: WebServer) -> None:
    few = settings.updated(report__check_pages=2)
    urls = [web_server.put_article(f"/{n}", f"Page {n}", DEEP, MORE) for n in range(5)]
    text = " ".join(f"Harbour number {n} is deep at low water ({url})." for n, url in enumerate(urls))
    found = await checked(tmp_path, few, text, web=True)
    assert [cited.state for cited in found.citations] == ["read", "read", *["not followed"] * 3]
    assert len(web_server.visits) == 2
    assert any("check_pages" in str(notice) for notice in found.report.notices)


async def test_what_comes_of_it_is_a_report_that_verifies(
    tmp_path: Path, settings: Settings, files: Path, web_server: WebServer
) -> None:
    url = web_server.put_article("/a", "The harbour", BUILT, MORE)
    text = (
        f"# On the harbour\n\n{BUILT.rstrip('.')} [1]. The pope owns nine yachts.\n\n## Depth\n\n"
        f"- {DEEP} [2]\n- The pilots wear red coats in winter [3].\n\n| What | How much |\n|---|---|\n"
        f"| Depth of the basin | seven metres [2] |\n\n> *{MORE}*\n\n## Sources\n1. {url}\n2. more/depth.txt\n"
    )
    found = await checked(tmp_path, settings, text, files, web=True)
    report = found.report
    assert (report.title, [section.title for section in report.sections]) == (
        "On the harbour",
        ["On the harbour", "Depth"],
    )
    assert (await asyncio.to_thread(verify, report, report.checksum)).mismatches == []
    assert len(report.claims) == len(found.claims) == 6
    assert sum(report.counts.values()) == 6
    assert "pope owns nine yachts. *(no source)*" in report.markdown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("theirs.txt", "The harbour of Altmere was built in 1871 (harbour.md)."),
        ("theirs.html", "<h1>Port</h1><p>The harbour of Altmere was built in 1871 <a href='harbour.md'>[1]</a>.</p>"),
    ],
)
async def test_a_report_may_be_of_another_kind(
    tmp_path: Path, settings: Settings, files: Path, name: str, text: str
) -> None:
    found = await checked(tmp_path, settings, text, files, name=name)
    assert [(one.text, one.verdict) for one in found.claims] == [
        ("The harbour of Altmere was built in 1871.", "supported")
    ]
    assert found.citations[0].state == "read"


async def test_what_cannot_be_read_is_refused(tmp_path: Path, settings: Settings, files: Path) -> None:
    large = tmp_path / "large.md"
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    async with Run("check", settings, journal=Journal()) as run:
        for name in ("large.md", "empty.md", "picture.png", "none.md", "papers"):
            with pytest.raises(ForeignReportError, match=name):
                await check(run, tmp_path / name, [files], web=False)
        (tmp_path / "theirs.md").write_text(BUILT)
        with pytest.raises(FolderError):
            await check(run, tmp_path / "theirs.md", [tmp_path / "none"], web=False)


async def test_the_report_of_a_check_says_whose_text_it_is_and_keeps_its_numbers(
    tmp_path: Path, settings: Settings, files: Path
) -> None:
    text = f"{DEEP.rstrip('.')} [7]. {BUILT.rstrip('.')} [3]. {MORE}\n\n## References\n3. harbour.md\n7. depth.txt\n"
    found = await checked(tmp_path, settings, text, files)
    report = found.report
    assert (report.checked, report.confidence) == ("theirs.md", None)
    assert [(one.number, one.path) for one in report.references][:2] == [(3, "harbour.md"), (7, "more/depth.txt")]
    assert f"{DEEP.rstrip('.')}. [7]" in report.markdown
    assert f"{BUILT.rstrip('.')}. [3]" in report.markdown
    head, body = report.markdown.split("\n## ", 1)
    assert "The text of theirs.md was only checked by Spyglass" in head
    assert "Confidence" not in head
    assert "Written without a model" not in head
    assert str(files) in body
    assert verify(report).mismatches == []
    assert "theirs.md" in await asyncio.to_thread(html, report)


async def test_every_number_stays_and_leads_to_what_became_of_it(
    tmp_path: Path, settings: Settings, files: Path, web_server: WebServer
) -> None:
    """Also in a group, of two numbers for one page, of a page that says nothing of the sentence, and of a heading."""
    page, gone = web_server.put_article("/a", "The harbour", BUILT, MORE), web_server.put("/gone", Reply(status=404))
    text = (
        f"### Harbour [5]\n\n{BUILT.rstrip('.')} [3]. {MORE.rstrip('.')} [9]. The pilots wear red coats in winter [7]. "
        f"The clay comes from Dalarna [40]. Quartz glows violet [9]. The pope owns nine yachts [3, 7]. "
        f"It burns birch wood (missing.txt). {DEEP}\n\n"
        f"## References\n\n[3] {page}\n[5] {gone}#top\n[7] {gone}\n[9] {page}\n"
    )
    report = (await checked(tmp_path, settings, text, files, web=True)).report
    paragraph = (
        f"{BUILT} [3] {MORE} [9] The pilots wear red coats in winter. [7] *(not checked)* "
        "The clay comes from Dalarna. [40] *(not supported by its sources)* "
        "Quartz glows violet. [9] *(not supported by its sources)* "
        "The pope owns nine yachts. [3][7] *(not supported by its sources)* "
        f"It burns birch wood. [41] *(not supported by its sources)* {DEEP} [42]"
    )
    assert ("### Harbour [5]" in report.markdown, paragraph in report.markdown) == (True, True), report.markdown
    _, references = report.markdown.split("## References")
    entries = [line for line in references.splitlines() if line.startswith("- ")]
    told = [
        ("[3]", f"<{page}>", ", read: “"), ("[5]", "gone", "dead: The page does not exist (status 404)"),
        ("[7]", "gone", "dead: The page does not exist (status 404)"), ("[9]", f"<{page}>", ", read: “"),
        ("[40]", "invented: No reference has this number or label"),
        ("[41]", "missing.txt", "invented: The folder contains no such file"),
        ("[42]", "more/depth.txt", ", not cited in the text, found by Spyglass: “"),
    ]  # fmt: skip
    assert [entry for entry, parts in zip(entries, told, strict=True) if any(part not in entry for part in parts)] == []
    assert (report.uncited, report.dropped_markers) == (0, 0)
    shown = await asyncio.to_thread(html, report)
    for number in re.findall(r'<a class="marker" href="#r(\d+)"', shown):
        assert f'<li id="r{number}" value="{number}">' in shown, number
    assert '<span class="flag unchecked">not checked</span>' in shown
    assert (await asyncio.to_thread(verify, report, report.checksum)).mismatches == []
    record = report.model_copy(update={"looked_up": [one for one in report.looked_up if one.number != 40]})
    assert "No reference has the number 40" in [one.what for one in verify(record).mismatches]


async def test_what_words_do_not_settle_a_model_that_decides_does_claim_by_claim(
    tmp_path: Path, settings: Settings, files: Path, model_server: ModelServer
) -> None:
    """Over a socket, as Ollama's bespoke-minicheck is asked; what it cannot be asked about stays unsettled."""
    asked = list[str]()

    def decide(question: PromptRequest) -> str | Say:
        asked.append(question.user)
        assert question.user.startswith("Document: ")
        if "berths" in question.user:
            return Say("I would rather not say.")
        return "Yes" if "Anna Berg's men" in question.user else "No"

    model_server.play(decide)
    url = model_server.base_url("ollama")
    checker = {"provider": "ollama", "model": "bespoke-minicheck", "base_url": url}
    text = (
        "What Altmere has for a harbour is owed to Anna Berg's men, who came in 1871. "
        "Between May and September passengers for Strand have four ferry sailings daily to choose from. "
        "At low water Altmere has, for its ships of deep draught and their berths, seven metres of harbour basin."
    )
    found = await checked(tmp_path, settings.updated(checker=checker), text, files)
    assert [one.verdict for one in found.claims] == ["supported", "unsupported", "unsettled"]
    assert [one.method for one in found.report.claims] == ["model", "model", "words"]
    assert len(asked) == 3
