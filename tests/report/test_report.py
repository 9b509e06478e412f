"""The typed report says all there is to say, as JSON and as Markdown."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from report.sample import sample
from report.written import asserting, blocks_of
from spyglass.kernel.errors import UsageError
from spyglass.kernel.journal import Journal
from spyglass.kernel.notice import Notice
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Citation, Passage, Source, with_date
from spyglass.report import Report
from spyglass.report.report import Coverage, Missing, Near, Reference, Section, title_of

SLEEP, FLIGHT = (
    Near(source_id="s", passage=0, start=0, end=20),
    Near(source_id="s", passage=1, start=20, end=36),
)


def report(**more: object) -> Report:
    values: dict[str, object] = {
        "question": "How do bees dance?",
        "title": "How do bees dance?",
        "run": "abc",
        "date": "2026-03-01",
        "language": "en",
        "outcome": "complete",
        "confidence": "MEDIUM",
        "sections": [Section(title="Summary", blocks=blocks_of("They waggle. [1]"), quoted=True)],
        "references": [
            Reference(
                number=1,
                source_id="s",
                title="Bees",
                path="notes/bees.md",
                line=3,
                last_line=9,
                retrieved_at="2026-02-28T10:00:00+00:00",
                quote="They waggle.",
            )
        ],
        "citations": [
            Citation(number=1, source_id="s", passage=0, snapshot="h", start=0, end=12, quote="They waggle.")
        ],
        "sources": [Source(title="Bees", summary="They waggle.", brief_summary="", keywords=[], url="u", id="s")],
        "queries": ["bees dance"],
        "folders": ["local_files"],
    }
    return Report.model_validate({**values, **more})


def test_a_report_survives_json() -> None:
    whole = report(
        failures=[Missing(who="a", what="b", why="c")],
        notices=["n", Notice("not_read", what="u", why=Notice("took_too_long", seconds=1.5))],
    )
    assert Report.model_validate_json(whole.model_dump_json()) == whole


def test_a_report_reads_from_answer_to_proof() -> None:
    assert report().markdown == (
        "# How do bees dance?\n\n"
        "**Confidence: medium** · 2026-03-01\n\n"
        "*Written without a model: every sentence is quoted from a source.*\n\n"
        "## Summary\n\nThey waggle. [1]\n\n"
        "## What was searched\n\n"
        "- Searched for: bees dance\n- Searched in: local_files\n- The web was not searched.\n"
        "- Passages found: 0 (sources: 1)\n\n"
        "## References\n\n"
        "- [1] **Bees** – notes/bees.md, lines 3–9, retrieved 2026-02-28, local file: “They waggle.”\n"
    )


def test_what_went_wrong_is_told() -> None:
    text = report(
        outcome="partial",
        failures=[Missing(who="reporter", what="the section", why="no connection")],
        notices=["2 files were skipped."],
        dropped_markers=3,
        sections=[Section(title="Summary", blocks=asserting(blocks_of("They waggle.")), quoted=True)],
        unmentioned=["waggle"],
        confidence=None,
    ).markdown
    assert "**This report is incomplete; see “What is missing” below.**" in text
    assert (
        "## What is missing\n\n- reporter: the section – no connection\n- Sentences without a citation: 1.\n"
        "- Removed citations of sources that do not exist: 3.\n"
    ) in text
    assert "- 2 files were skipped.\n" in text
    assert "\n*Words of the question that occur in none of the passages found: waggle*\n" in text[: text.index("## ")]


def test_what_an_answer_has_no_word_for_is_not_told_of_a_question_that_is_answered() -> None:
    assert "Words of the question" not in report(unmentioned=["waggle"]).markdown
    assert "Words of the question" in report(unmentioned=["waggle"], confidence=None).markdown


def test_nothing_found_is_said_with_what_was_searched_and_what_to_try() -> None:
    found: dict[str, object] = {
        "outcome": "nothing_found",
        "sections": [],
        "references": [],
        "citations": [],
        "confidence": None,
    }
    text = report(**found, sources=[hive_notes()], near=[FLIGHT, SLEEP], unmentioned=["waggle"]).markdown
    assert "## No clear answer was found\n\nThe passages nearest" in text
    assert "*Words of the question that occur in none of the passages found: waggle*" in text[: text.index("## ")]
    assert "## What to try" in text
    assert "- Searched for: bees dance" in text
    assert "## References" not in text
    nearest = (
        "The passages nearest to the question, which may not answer it:\n\n"
        "- Bees › Flight: “They fly by day.”\n- Bees › Where do they sleep: “They sleep at night.”\n"
    )
    assert nearest in text
    asked = Coverage(question="How do bees dance?", verdict="not found", sources=1)
    told = report(**found, coverage=[asked], sources=[], unmentioned=["waggle"]).markdown
    assert "## Nothing was found\n\nNo passage was found that clearly answers this question" in told
    assert "What was answered" not in told
    assert "Words of the question" not in told[: told.index("## ")], "nothing was found that could have them"


def test_a_report_that_is_not_sure_says_where_one_may_look_besides() -> None:
    unsure = report(confidence=None, sources=[hive_notes()], near=[FLIGHT]).markdown
    assert "They waggle. [1]\n\nAlso related to the question:\n\n- Bees › Flight: “They fly by day.”\n" in unsure
    assert "Also related" not in report(sources=[hive_notes()], near=[FLIGHT]).markdown


def test_an_excerpt_is_named_with_the_date_of_its_source() -> None:
    dated = hive_notes().model_copy(update={"published": "2024-05"})
    assert "- Bees › Flight (2024-05): “They fly" in report(confidence=None, sources=[dated], near=[FLIGHT]).markdown
    assert with_date("Bees 2024 › Flight", "2024-05") == "Bees 2024 › Flight"


@pytest.mark.parametrize("said", ["They fly by day.", "They dance, for example:"])
def test_a_place_is_quoted_though_its_passage_begins_within_a_block_of_code(said: str) -> None:
    text = f"dance --left\n```\n\n{said} They sleep at night."
    passage = Passage(text=text, start=100, end=100 + len(text), heading="Bees > Flight")
    notes = hive_notes().model_copy(update={"passages": [passage]})
    start = 100 + text.index("They")
    near = Near(source_id="s", passage=0, start=start, end=start + len(said))
    unsure = report(confidence=None, sources=[notes], near=[near]).markdown
    assert f"- Bees › Flight: “{said}”\n" in unsure


def test_the_marks_of_emphasis_over_several_sentences_are_not_quoted() -> None:
    text = "**4. Drones.** Most leave the hive in August. *Nobody in the club knows why. Nor do the bees themselves.*"
    passage = Passage(text=text, start=0, end=len(text), heading="Bees > Drones")
    notes = hive_notes().model_copy(update={"passages": [passage]})
    near = Near(source_id="s", passage=0, start=0, end=len(text))
    unsure = report(confidence=None, sources=[notes], near=[near]).markdown
    assert f"- Bees › 4. Drones: “{text.replace('*', '')}”\n" in unsure


def test_neither_are_those_above_a_list() -> None:
    text = (
        "**4. Drones.** There are two kinds of them:\n\n- *Those of spring*, who leave in May. None of them returns.\n"
    )
    passage = Passage(text=text, start=0, end=len(text), heading="Bees > Drones")
    notes = hive_notes().model_copy(update={"passages": [passage]})
    near = Near(source_id="s", passage=0, start=0, end=len(text))
    unsure = report(confidence=None, sources=[notes], near=[near]).markdown
    said = "4. Drones. There are two kinds of them: / Those of spring, who leave in May. None of them returns."
    assert f"- Bees › 4. Drones: “{said}”\n" in unsure


def hive_notes() -> Source:
    passages = [
        Passage(text="They sleep at night.", start=0, end=20, heading="Bees > Where do they sleep?", score=0.4),
        Passage(text="They fly by day.", start=20, end=36, heading="Bees > Flight", score=0.6),
    ]
    return Source(title="Bees", summary="", brief_summary="", keywords=[], url="u", id="s", passages=passages)


def test_a_copy_is_named_that_has_what_is_quoted() -> None:
    def source(name: str, text: str) -> Source:
        passage = Passage(text=text, start=0, end=len(text))
        return Source(
            title=name, summary=text, brief_summary="", keywords=[], url="u", id=name, path=name, passages=[passage]
        )

    sources = [source("s", "They waggle."), source("copy.md", "Bees: They waggle."), source("part.md", "They fly.")]
    text = report(sources=sources, copies=[["s", "copy.md", "part.md"]]).markdown
    assert "same text as copy.md" in text
    assert "part.md" not in text


def test_a_report_of_a_stopped_run_says_so() -> None:
    assert (
        "**The run was stopped before it finished; this is the result so far.**" in report(outcome="cancelled").markdown
    )


def test_a_web_source_is_linked_and_a_page_named() -> None:
    entry = Reference(
        number=1, source_id="s", title="Bees", url="https://example.org/bees", page=4, quote="They waggle."
    )
    assert "- [1] **Bees** – <https://example.org/bees>, page 4: “They waggle.”" in report(references=[entry]).markdown


def test_the_labels_are_in_the_language_of_the_report() -> None:
    cases = [
        ("de", "## Quellen"),
        ("fr", "## Références"),
        ("es", "## Referencias"),
        ("it", "## Riferimenti"),
        ("pt", "## Referências"),
        ("nl", "## Bronnen"),
        ("zh", "## 参考文献"),
        ("ja", "## 参考文献"),
        ("Klingon", "## References"),
    ]
    assert [case for case in cases if case[1] not in report(language=case[0]).markdown] == []


HOSTILE = "](https://evil.example) <img src=x onerror=alert(1)> **b**\n# Heading\n[1]: https://evil.example `"


def test_nothing_that_a_source_or_a_person_wrote_becomes_a_link_html_or_a_heading() -> None:
    entry = Reference(number=1, source_id="s", title=HOSTILE, path=HOSTILE, retrieved_at=HOSTILE, quote=HOSTILE)
    citation = Citation(number=1, source_id="s", passage=0, snapshot="h", start=0, end=len(HOSTILE), quote=HOSTILE)
    whole = report(
        title=HOSTILE,
        sections=[Section(title=HOSTILE, blocks=blocks_of("They waggle. [1]"))],
        references=[entry],
        citations=[citation],
        queries=[HOSTILE],
        folders=[HOSTILE],
        unmentioned=[HOSTILE],
        notices=[HOSTILE, Notice("not_read", what=HOSTILE, why=Notice(HOSTILE, x=HOSTILE))],
        failures=[Missing(who=HOSTILE, what=HOSTILE, why=HOSTILE)],
    )
    tokens = MarkdownIt("commonmark", {"html": True}).parse(whole.markdown)
    kinds = [child.type for token in tokens for child in [token, *(token.children or [])]]
    assert not {"link_open", "image", "html_inline", "html_block"} & set(kinds)
    assert kinds.count("heading_open") == 5  # title, section, missing, searched, references


async def test_a_strangers_text_is_its_own_markdown(settings: Settings) -> None:
    async with Run("Why?", settings, journal=Journal()) as run:
        given = Report.of_text(run, "Because.")
    assert (given.markdown, given.outcome, given.question) == ("Because.", "complete", "Why?")


async def test_the_order_in_which_agents_told_things_does_not_show(settings: Settings) -> None:
    made = []
    for names in (["a", "b"], ["b", "a"]):
        async with Run("Why?", settings, journal=Journal()) as run:
            for name in names:
                run.notice(f"{name} was told")
                run.fail(name, "something", "it broke")
            made.append(Report.of_text(run, ""))
    assert made[0].notices == made[1].notices
    assert made[0].failures == made[1].failures


def test_a_long_question_makes_a_short_title() -> None:
    assert title_of("why\nnot?") == "why not?"
    assert len(title_of("word " * 500)) <= 151
    assert title_of("word " * 500).endswith("word…")


def test_a_notebook_shows_the_page_in_a_frame_that_runs_nothing() -> None:
    shown = sample()._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-popups ')
    assert shown.count("<") == 2, "the page is text of an attribute"


def test_a_file_of_no_known_kind_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no suffix of a supported format"):
        sample().save(tmp_path / "report.xyz")
    assert list(tmp_path.iterdir()) == []
