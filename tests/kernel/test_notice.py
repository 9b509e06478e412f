"""What a run has to say is a code with values; each language has words for every code."""

import ast
import string
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import spyglass
from spyglass.evidence.reason import FactMismatch, Kind, against
from spyglass.kernel import errors
from spyglass.kernel.notice import (
    DEEPEST,
    LANGUAGES,
    Notice,
    NoticeOrText,
    from_column,
    from_record,
    joined,
    recorded,
    text_of,
    to_column,
    words_of,
)

ROOT = Path(spyglass.__file__).parent
SOURCES = [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in ROOT.rglob("*.py")]
CODES = words_of("en")["notices"]
KINDS: list[Kind] = ["number", "date", "unit", "name", "negation", "quantifier", "quote", "word"]


def places(template: str) -> set[str]:
    """Return the names of the places that words have."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def calls() -> list[ast.Call]:
    """Return the calls that make a notice whose code is written out."""
    nodes = (node for _, tree in SOURCES for node in ast.walk(tree) if isinstance(node, ast.Call))
    made = [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == "Notice" and node.args]
    return [node for node in made if isinstance(node.args[0], ast.Constant)]


def test_every_language_has_words_for_the_same_codes_with_the_same_places() -> None:
    for language in LANGUAGES:
        own = words_of(language)["notices"]
        assert own.keys() == CODES.keys(), language
        assert [code for code, words in own.items() if places(words) != places(CODES[code])] == [], language


def test_every_notice_that_the_code_makes_has_words_with_a_place_for_each_of_its_values() -> None:
    assert len(calls()) > 50
    for call in calls():
        (code,) = (one.value for one in call.args if isinstance(one, ast.Constant))
        assert code in CODES
        names = {keyword.arg for keyword in call.keywords}
        assert names == places(CODES[str(code)]) or (None in names and names - {None} <= places(CODES[str(code)])), code


REACHING = (
    errors.BudgetError, errors.CacheError, errors.DeadlineError, errors.AgentError, errors.MessageError,
    errors.RoutingError, errors.DispatchLimitError, errors.ModelError, errors.DocumentError, errors.RetrievalError,
    errors.SearchError, errors.FetchError,
)  # fmt: skip
"""The errors that a run goes on after: a report says them. Others end it, and are told to whoever started it."""

OUTSIDE = {"cli", "cluster", "serve", "watch", "runs", "render"}  # what stands around a run, or comes after its report


def is_plain(node: ast.expr | None, assigned: Mapping[str, list[ast.expr]]) -> bool:
    """Say whether an expression may be a text that is written out."""
    match node:
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.JoinedStr():
            return True
        case ast.Name(id=name):
            return any(is_plain(value, assigned) for value in assigned.get(name, ()))
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return is_plain(one, assigned) or is_plain(other, assigned)
        case ast.BoolOp(values=values):
            return any(is_plain(value, assigned) for value in values)
        case ast.Call(func=ast.Attribute(value=ast.JoinedStr() | ast.Constant())):
            return True
    return False


def assignments(tree: ast.AST) -> Mapping[str, list[ast.expr]]:
    """Return what each name is given, with what several names are given at once taken apart."""
    found = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs: Iterable[tuple[ast.expr, ast.expr]] = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = zip(target.elts, node.value.elts, strict=False)  # one of them may be starred
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        found[name.id].append(value)
    return found


def test_every_error_that_a_report_may_say_is_a_notice_and_so_is_its_remedy() -> None:
    names = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, REACHING)}
    wordy, seen = [], 0
    for path, tree in SOURCES:
        if path.relative_to(ROOT).parts[0] in OUTSIDE:
            continue
        for scope in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            given = assignments(scope)
            for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
                if ast.unparse(call.func).rpartition(".")[2] in names:
                    text_of = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "remedy")]
                    seen += 1
                    wordy += [f"{path}:{call.lineno}" for one in text_of if is_plain(one, given)]
    assert seen > 150
    assert wordy == []


def test_no_words_are_left_over() -> None:
    written = {node.value for _, tree in SOURCES for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert [code for code in CODES if code not in written] == []


def test_every_way_in_which_a_source_speaks_against_a_sentence_has_words() -> None:
    made = [against(FactMismatch(kind, what, found)) for kind in KINDS for what in ("7 {x}", "") for found in ("", "9")]
    assert [one for one in made if places(CODES[one.code]) != one.values.keys()] == []


def test_values_stand_in_the_words_as_they_are() -> None:
    notice = Notice("not_read", what="{why} {0} %s", why=Notice("took_too_long", seconds=1.5))
    assert str(notice) == "Not read: {why} {0} %s: It took longer than 1.5 s"
    assert text_of(notice, "de") == "Nicht gelesen: {why} {0} %s: Es dauerte länger als 1.5 s"
    assert text_of(notice, "ja") == "未読：{why} {0} %s：1.5 秒を超えました"


def test_a_language_without_words_is_told_in_english_and_a_quote_in_its_own_words() -> None:
    assert text_of(Notice("folder_empty", folder="docs"), "Klingon") == "docs contains no files."
    assert text_of("nuqneH {x}", "de") == "nuqneH {x}"


VALUES = st.recursive(
    st.text() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.builds(
        lambda code, values: Notice(code, **values),
        st.sampled_from(sorted(CODES)) | st.text(),
        st.dictionaries(st.sampled_from(["what", "why", "url", "self"]) | st.text(min_size=1), inner, max_size=3),
    ),
    max_leaves=5,
)


@given(VALUES, st.sampled_from(LANGUAGES))
def test_whatever_code_and_values_a_notice_has_it_has_words_and_comes_back_from_its_record(
    told: str | int | float | Notice, language: str
) -> None:
    notice = Notice("not_read", what=told, why="w")
    assert text_of(notice, language)
    assert from_record(recorded(notice)) == notice


def test_equal_notices_are_equal_as_json() -> None:
    adapter = TypeAdapter(Notice)
    one, other = Notice("not_read", what="a", why="b"), Notice("not_read", why="b", what="a")
    read = adapter.validate_json('{"code": "not_read", "values": {"why": "b", "what": "a"}}', strict=True)
    assert one == other == read
    assert len({adapter.dump_json(notice) for notice in (one, other, read)}) == 1


def test_a_notice_that_is_nested_without_end_ends() -> None:
    notice = Notice("section_quoted", title="t", why="w")
    for _ in range(200):
        notice = Notice("section_quoted", title="t", why=notice)
    assert str(notice).count("“t”") == DEEPEST


def test_many_notices_are_one_of_which_nothing_is_left_out() -> None:
    told = [Notice("section_quoted", title=str(number), why="w") for number in range(200)]
    assert [f"“{number}”" in str(joined(told)) for number in range(200)] == [True] * 200
    assert joined([]) == ""


@pytest.mark.parametrize("told", [Notice("not_read", what="a", why=Notice("file_empty")), "Set aside: {it}", "{}"])
def test_what_is_told_is_kept_as_one_text(told: NoticeOrText) -> None:
    assert from_column(to_column(told)) == told
