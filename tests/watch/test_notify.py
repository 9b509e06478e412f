"""Who watches a question is told of a change in the language of the question."""

from spyglass.watch.changes import Quoted, ValueChange
from spyglass.watch.notify import text_of
from spyglass.watch.watch_store import Watch

CHANGE = ValueChange(
    kind="number",
    what="7",
    found="9",
    before=Quoted(text="7 m", title="A", place="a.md", read="2026-01-01"),
    after=Quoted(text="9 m", title="A", place="a.md", published="2026-02-01"),
)


def told(question: str, problem: str = "") -> str:
    watch = Watch(id="1", question=question, every="0 8 * * *", settings={"language": "auto"}, due="2026-01-01")
    return text_of(watch, [] if problem else [CHANGE], problem)


def test_a_change_is_told_in_the_language_of_the_question() -> None:
    for question, words in (
        ("How deep is the harbour?", ("Changed: 7 → 9", "before: “7 m” (A, a.md, retrieved 2026-01-01)", "now: “9 m”")),
        ("Wie tief ist der Hafen?", ("Geändert: 7 → 9", "vorher: “7 m” (A, a.md, abgerufen am 2026-01-01)", "jetzt: ")),
        ("港口有多深？", ("已变更：7 → 9", "之前：“7 m”", "现在：“9 m”")),
        ("港の深さはどれくらいですか。", ("変更：7 → 9", "以前：“7 m”", "現在：“9 m”")),
    ):
        text = told(question)
        assert [one for one in words if one not in text] == [], text


def test_a_problem_is_told_so_too() -> None:
    assert told("Wie tief ist der Hafen?", "x").endswith("Es ließ sich nicht prüfen: x")
