"""How far to trust a report depends on how many good sources it cites."""

from spyglass.kernel.source import Ranked, Source
from spyglass.report.confidence import confidence, quality
from spyglass.report.report import Coverage


def file() -> Source:
    return Source(title="t", summary="s", brief_summary="b", keywords=[], url="u", kind="file")


def page(score: int | None) -> Source:
    return Source(title="t", summary="s", brief_summary="b", keywords=[], url="u", credibility_score=score)


def test_the_level_follows_number_and_quality() -> None:
    cases: list[tuple[list[Source], str | None]] = [
        ([], None),
        ([page(50)], "LOW"),
        ([file()], "MEDIUM"),
        ([page(50), page(None)], "MEDIUM"),
        ([file(), file(), file()], "HIGH"),
        ([page(90), file(), page(50)], "HIGH"),
        ([page(70), page(70), page(70)], "MEDIUM"),
        ([page(50), page(50), page(50), page(50)], "MEDIUM"),
    ]
    assert [(cited, level) for cited, level in cases if confidence(cited) != level] == []


def test_it_is_high_only_where_every_part_is_plainly_answered() -> None:
    def covered(*ranked: Ranked) -> list[Coverage]:
        return [Coverage(question="q", verdict="answered", sources=1, ranked=one) for one in ranked]

    files = [file(), file(), file()]
    assert confidence(files, covered("plainly", "plainly")) == "HIGH"
    assert confidence(files, covered("plainly", "answered")) == "MEDIUM"
    assert confidence([page(50)], covered("plainly")) == "LOW", "the number and quality of sources are a bound"
    assert confidence(files, covered("answered", "perhaps")) == "MEDIUM"
    assert confidence(files, covered("perhaps", "not found")) is None
    assert confidence(files, covered("plainly", "partly")) == "MEDIUM"
    assert confidence(files, covered("plainly", "not found")) == "LOW", "half of the question has no answer"
    assert confidence(files, covered("partly", "not found")) == "LOW", "what a model finds only in part"


def test_of_a_comparison_the_whole_decides_as_it_does_what_the_report_is_called() -> None:
    whole = Coverage(question="How does a mole differ from a pier?", verdict="partly", sources=1, ranked="perhaps")
    side = Coverage(question="mole", verdict="answered", sources=1, ranked="answered")
    assert confidence([file(), file()], [whole, side]) is None
    assert confidence([file(), file()], [side, whole]) == "MEDIUM"


def test_quality_goes_from_unknown_page_to_authority() -> None:
    assert [quality(page(score)) for score in (None, 50, 70, 84, 85, 90)] == [2, 2, 3, 3, 5, 5]
    assert quality(file()) == 4
