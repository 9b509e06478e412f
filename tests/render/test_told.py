"""What is told in English while a run goes on stands in the report's language in the report."""

import string
from itertools import product

from report.sample import sample
from spyglass.evidence.mismatch import FactMismatch, Kind
from spyglass.evidence.reason import NOTHING, ONLY_WORDS, OTHERWISE, TWO_LANGUAGES, against, lacking, unsupported_part
from spyglass.render.html import html
from spyglass.render.labels import LANGUAGES, labels
from spyglass.render.told import told
from spyglass.report.checker import NO_CODE
from spyglass.report.report import Missing
from spyglass.report.searches import FILES, LEFT

OTHERS = [language for language in LANGUAGES if language != "en"]


def _places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_language_knows_the_same_patterns_with_the_same_places() -> None:
    for language in OTHERS:
        own = labels(language).told
        assert own.keys() == labels("de").told.keys(), language
        assert [said for said, template in own.items() if _places(template) != _places(said)] == [], language


def test_english_stays_as_it_is_and_so_does_what_no_pattern_knows() -> None:
    assert told("docs holds no files.", labels("en")) == "docs holds no files."
    assert told("Something odd happened.", labels("de")) == "Something odd happened."


def test_what_is_quoted_in_a_notice_is_told_in_the_language_too() -> None:
    why = told("Not read: http://a.example/x: It holds no text", labels("de"))
    assert why == "Nicht gelesen: http://a.example/x: Sie enthält keinen Text"


KINDS: list[Kind] = ["number", "date", "unit", "name", "negation", "quantifier"]


def test_every_reason_against_a_sentence_has_words_in_every_language() -> None:
    reasons = [against(FactMismatch(kind, "7 {x}", found)) for kind in KINDS for found in ("", "9")]
    reasons += [NOTHING, OTHERWISE, ONLY_WORDS, TWO_LANGUAGES, lacking(["bees"]), unsupported_part("it"), NO_CODE]
    reasons += [FILES, LEFT]
    assert [case for case in product(reasons, OTHERS) if told(case[0], labels(case[1])) == case[0]] == []


def test_a_german_report_says_what_happened_in_german() -> None:
    report = sample().model_copy(
        update={
            "language": "de",
            "notices": ["Not read: http://a.example/x: It holds no text", "papers: 3 files read as 9 passages."],
            "failures": [Missing(who="search", what="reading pages", why="It took longer than 15 s")],
        }
    )
    for shown in (report.markdown.replace("\\", ""), html(report)):
        assert "Nicht gelesen: http://a.example/x: Sie enthält keinen Text" in shown
        assert "papers: 3 Dateien gelesen, 9 Stellen." in shown
        assert "search: Seiten lesen – Es dauerte länger als 15 s" in shown


def test_a_report_that_nobody_has_checked_says_so_on_top() -> None:
    report = sample()
    claims = [claim.model_copy(update={"verdict": "unchecked"}) for claim in report.claims]
    unchecked = report.model_copy(update={"policy": "off", "claims": claims})
    for shown in (unchecked.markdown, html(unchecked)):
        assert labels("en").unchecked in shown
    assert labels("en").unchecked not in report.markdown + html(report)


def test_a_sentence_that_was_removed_from_several_sections_stands_once_with_their_number() -> None:
    report = sample()
    gone = report.removed[0]
    twice = report.model_copy(update={"removed": [gone, gone.model_copy(update={"section": "Elsewhere"})]})
    (line,) = [line for line in twice.markdown.splitlines() if line.startswith("- ~~")]
    assert "~~ (×2) " in line
