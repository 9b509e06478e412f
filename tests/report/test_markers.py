"""Markers are found in every spelling that models use, and nothing else is taken for one."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.report.markers import find_links, find_markers

KNOWN = ("S1", "S1.1", "S1.2", "S2", "S2.1", "S3")


def labels(text: str) -> list[str]:
    return [label for marker in find_markers(text, KNOWN) for label in marker.labels]


def test_a_marker_is_found_in_every_spelling() -> None:
    cases = {
        "Bees dance [1].": ["S1"],
        "Bees dance[S1.2].": ["S1.2"],
        "Bees dance (1).": ["S1"],
        "Bees dance (S1, S2.1).": ["S1", "S2.1"],
        "Bees dance [1,2].": ["S1", "S2"],
        "Bees dance [1, 2] and [1][3].": ["S1", "S2", "S1", "S3"],
        "Bees dance [1-3].": ["S1", "S2", "S3"],
        "Bees dance [S1–S3].": ["S1", "S2", "S3"],
        "Bees dance [S1.1-S1.2].": ["S1.1", "S1.2"],
        "Bees dance 【1】.": ["S1"],
        "Bees dance 【1†source】.": ["S1"],
        "Bees dance ［2］.": ["S2"],
        "Bees dance (Source 1).": ["S1"],
        "Bees dance (Sources 1 and 2).": ["S1", "S2"],
        "Bees dance [source S1.1].": ["S1.1"],
        "Bees dance [Source: S1; Source: S2].": ["S1", "S2"],
        "Bees dance, says Source 1.": ["S1"],
        "Sources 1 and 2 say that bees dance.": ["S1", "S2"],
        "Bees dance [^1].": ["S1"],
        "Bees dance [s1] (s2.1).": ["S1", "S2.1"],
        "Bees dance [see S1].": ["S1"],
        "(S1) Bees dance.": ["S1"],
        "Bees dance.¹ They hum.²": ["S1", "S2"],
        "Bees dance [S1] (in 1950).": ["S1"],
    }
    assert {text: labels(text) for text in cases} == cases


def test_what_is_no_marker_is_left_alone() -> None:
    texts = [
        "It happened in (2021) and in [2021].",
        "1) first\n2) second",
        "(1) first\n(2) second",
        "- (1) first",
        "They weigh (1) the cost, (2) the time.",
        "It avoids lstat(2), printf(3) and stat(2), which block.",
        "Take `a[1]` and ``b[2]``.",
        "```\nx = a[1]\n```",
        "~~~\na[1]",
        "[text](http://a.b/1)",
        "[^1]: A footnote.",
        "[1]: http://a.b/",
        "- [ ] to do\n- [x] done",
        "It covers 12 m² and 10³ cells.",
        "Amazon (S4) stores it.",
        "Version 1.2 [beta].",
    ]
    assert [text for text in texts if find_markers(text, KNOWN)] == []


def test_a_label_that_nobody_offered_is_told_apart() -> None:
    [both, alone] = find_markers("Bees dance [1, S99]. They hum [7].", KNOWN)
    assert (both.labels, both.unknown) == (("S1",), ("S99",))
    assert (alone.labels, alone.unknown) == ((), ("S7",))


def test_numbers_stay_numbers_where_labels_are_numbers() -> None:
    assert [marker.labels for marker in find_markers("Bees dance [1] [2].", ("1", "2"))] == [("1",), ("2",)]


def test_an_endless_range_is_not_spelt_out() -> None:
    [marker] = find_markers("Bees dance [1-999].", KNOWN)
    assert (marker.labels, marker.unknown) == (("S1",), ("S999",))


def test_links_are_found_with_what_they_show() -> None:
    cases = [
        ("See [the study](http://a.b/c).", "See the study."),
        ('See [it](http://a.b/c_(d) "Title").', "See it."),
        ("See http://a.b/c, please.", "See , please."),
        ("See <https://a.b>.", "See ."),
        ("An ![image](data:image/png;base64,xx) here.", "An  here."),
        ("[run](javascript:alert(1))", "run"),
        ("Bees dance [1](http://a.b).", "Bees dance [1]."),
        ("Bees dance [[S1]](#ref).", "Bees dance [S1]."),
        ("[1]: http://a.b\nText", "Text"),
        ("Take `http://a.b`.", "Take `http://a.b`."),
        ("Bees dance [1].", "Bees dance [1]."),
    ]
    for text, shown in cases:
        plain = text
        for link in reversed(find_links(text)):
            plain = plain[: link.start] + link.text + plain[link.end :]
        assert plain == shown


@given(st.text(alphabet="[](){}【】S1234.,;-^ `~\n†ourceaA¹²\\<>!:/hwtp\"'", max_size=200))
def test_any_text_is_read_without_error_in_order(text: str) -> None:
    for spans in (
        [(marker.start, marker.end) for marker in find_markers(text, KNOWN)],
        [(link.start, link.end) for link in find_links(text)],
    ):
        ends = [0, *(end for _, end in spans)]
        assert all(before <= start < end for before, (start, end) in zip(ends, spans, strict=False))


@given(
    st.lists(st.sampled_from(KNOWN), min_size=1, max_size=5, unique=True), st.sampled_from([", ", ",", "; ", " and "])
)
def test_every_label_of_a_list_is_found(chosen: list[str], joint: str) -> None:
    [marker] = find_markers(f"Bees dance [{joint.join(chosen)}].", KNOWN)
    assert list(marker.labels) == chosen


def test_hostile_text_is_read_to_its_end() -> None:
    pieces = [
        "[",
        "(1",
        "[1,",
        "`",
        "```\n",
        "S1 ",
        "[a](",
        "【1†",
        "Source ",
        "![",
        "http://",
        "¹",
        "(1) ",
        "a [1]",
        "[1] ",
    ]
    for piece in pieces:
        text = piece * (50_000 // len(piece)) + "\n\nBees."
        assert all(marker.end <= len(text) for marker in find_markers(text, KNOWN)), piece
        assert all(link.end <= len(text) for link in find_links(text)), piece
