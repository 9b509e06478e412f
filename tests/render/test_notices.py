"""What a run tells stands in the report's language in the report."""

from report.sample import sample
from spyglass.kernel.errors import EncryptedError
from spyglass.kernel.notice import LANGUAGES, Notice
from spyglass.kernel.source import VERDICTS
from spyglass.markup import mapped
from spyglass.render.frame import quotes
from spyglass.render.html import html
from spyglass.render.labels import labels_in
from spyglass.report.report import Missing

NOTICES = [
    Notice("not_read", what="http://a.example/x", why=Notice("without_text")),
    Notice("folder_read", folder="papers", files=3, passages=9),
    Notice("not_read", what="a.pdf", why=EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it")).message),
]
FAILED = Missing(who="search", what=Notice("of_reading_pages"), why=Notice("took_too_long", seconds=15))
SAID = {
    "de": (
        "Nicht gelesen: http://a.example/x: Sie enthält keinen Text",
        "papers: gelesene Dateien: 3, Stellen: 9.",
        "Websuche: Seiten lesen – Es dauerte länger als 15 s",
        "Nicht gelesen: a.pdf: Sie verlangt ein Passwort. Speichern Sie sie ohne Passwort.",
    ),
    "zh": (
        "未读取：http://a.example/x：其中没有文字",
        "papers：读取了 3 个文件，共 9 个段落。",
        "网络检索：读取网页 – 用时超过 15 秒",
        "未读取：a.pdf：它需要密码。请保存为不带密码的文件。",
    ),
}


def test_a_report_says_what_happened_in_its_language() -> None:
    for language, said in SAID.items():
        report = sample().model_copy(update={"language": language, "notices": NOTICES, "failures": [FAILED]})
        for shown in (report.markdown.replace("\\", ""), html(report)):
            assert [one for one in said if one not in shown] == []


def test_a_file_that_could_not_be_read_though_its_name_fits_stands_on_top() -> None:
    unread = Notice("file_of_that_name_unread", what="heat-pumps.pdf", why="It needs a password.")
    report = sample().model_copy(update={"notices": [*NOTICES, unread]})
    for shown in (report.markdown.replace("\\", ""), html(report)):
        assert shown.count(str(unread)) == 1
        assert shown.index(str(unread)) < shown.index(report.sections[0].title) < shown.index("papers: files read: 3")


def test_a_report_that_nobody_has_checked_says_so_on_top() -> None:
    report = sample()
    unchecked = report.model_copy(
        update={
            "policy": "off",
            "sections": [
                one.model_copy(update={"blocks": mapped(one.blocks, lambda unit: unit.judged(None))})
                for one in report.sections
            ],
        }
    )
    for shown in (unchecked.markdown, html(unchecked)):
        assert labels_in("en").unchecked in shown
    assert labels_in("en").unchecked not in report.markdown + html(report)


def test_a_sentence_that_was_removed_from_several_sections_stands_once_with_their_number() -> None:
    report = sample()
    gone = report.removed[0]
    twice = report.model_copy(update={"removed": [gone, gone.model_copy(update={"section": "Elsewhere"})]})
    (line,) = [line for line in twice.markdown.splitlines() if line.startswith("- ~~")]
    assert "~~ (×2) " in line


def test_what_was_removed_because_its_source_contradicts_it_is_no_disagreement_of_sources() -> None:
    gone = sample().removed[0].model_copy(update={"verdict": "contradicted"})
    report = sample().model_copy(update={"removed": [gone], "contradictions": []})
    assert report.markdown.count(gone.text) == 1
    assert labels_in("en").contradictions not in report.markdown


def test_quotes_of_one_passage_that_overlap_stand_as_one() -> None:
    report = sample()
    cited = report.citations[0]
    cuts = [(5, 30), (0, 12), (20, len(cited.quote)), (8, 20)]
    parts = [
        cited.model_copy(
            update={"start": cited.start + start, "end": cited.start + end, "quote": cited.quote[start:end]}
        )
        for start, end in cuts
    ]
    others = [one for one in report.citations if one.number != cited.number]
    assert quotes(report.model_copy(update={"citations": [*parts, *others]}))[cited.number] == {
        cited.quote: cited.columns
    }
    apart = [parts[1], parts[2]]
    assert list(quotes(report.model_copy(update={"citations": apart}))[cited.number]) == [one.quote for one in apart]


def test_a_row_that_is_quoted_with_the_next_one_has_no_column_names() -> None:
    report = sample()
    row = report.citations[0].model_copy(update={"columns": ["Item", "Price"]})
    both = row.model_copy(update={"end": row.end + 4, "quote": f"{row.quote}\na,b"})
    for citations in ([row, both], [both, row]):
        assert list(quotes(report.model_copy(update={"citations": citations}))[row.number].values()) == [[]]
    assert list(quotes(report.model_copy(update={"citations": [row, row]}))[row.number].values()) == [row.columns]


def test_how_many_claims_have_which_verdict_stands_apart_from_its_label_in_every_language() -> None:
    """What words do not settle is told as that, and is not taken for what no source says."""
    for language in LANGUAGES:
        report = sample().model_copy(update={"language": language})
        words = labels_in(language)
        figure, *others = words.tally(report.counts)
        assert len(others) == 1, language
        assert f"<dt>{words.checked}</dt><dd>{figure}" in html(report), language
        assert words.named(words.checked, " · ".join([figure, *others])) in report.markdown, language
    assert labels_in("en").tally({**dict.fromkeys(VERDICTS, 0), "unsettled": 3, "contradicted": 1, "unchecked": 2}) == [
        "0 of 4 supported", "3 not settled", "1 contradicted",
    ]  # fmt: skip
    assert labels_in("en").tally({**dict.fromkeys(VERDICTS, 0), "unchecked": 2}) == []
