"""What a model wrote becomes a value, or None; never an error, and never slowly."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.model.extract import DEEPEST, LONGEST_LITERAL, extract, strip_thinking


def test_the_largest_value_is_found() -> None:
    cases = {
        '{"a": 1}': {"a": 1},
        'Sure! Here it is: {"a": [1, {"b": "]}"}]} Bye.': {"a": [1, {"b": "]}"}]},
        "It's [1, 2], don't take {'a': 'it\\'s', 'b': None, 'c': True,}": {"a": "it's", "b": None, "c": True},
        '[see {"a": 1} here]': {"a": 1},
        '{"a": {"b": []}} and [1, 2]': {"a": {"b": []}},
        '[{"a": [1, 2]}, {"b": 22': {"a": [1, 2]},
        "Nothing to do: []": [],
        '["[", "]", "\\"]"]': ["[", "]", '"]'],
        '{"a": "first line\nsecond"}': {"a": "first line\nsecond"},
        '{"a": 1, "a": 2}': {"a": 2},
        '{"a": "\\ud83d\\ude00"}': {"a": "😀"},
        "{'a': (1, (2,)), 'b': ()}": {"a": (1, (2,)), "b": ()},
        "{1: 'x', -2.5: 'y'}": {1: "x", -2.5: "y"},
        "['C:\\data', '\\x41']": ["C:\\data", "A"],
        "['''a'b''', \"\"\"c\nd\"\"\"]": ["a'b", "c\nd"],
        '{"path": "C:\\data"}': {"path": "C:\\data"},
        '["foo, {"a": 1}': {"a": 1},
    }
    assert {text: extract(text) for text in cases} == cases


def test_what_is_no_value_gives_none() -> None:
    cases = [
        "",
        "no brackets",
        "1, 'a', (1, 2)",
        '{"a": "[1, 2]"',
        '{"a": 1, "b": "see [1] and',
        '{"a": bad, "b": "[2]"}',
        '{"a": NaN}',
        "[Infinity]",
        "[1e999]",
        "{1, 2}",
        "[b'x']",
        "[1 2]",
        '{"a" 1}',
        "['\\xZZ']",
        "['\ud800']",
        "['\0']",
        "{\"a\": true, 'b': None}",
        "[" + "1" * 5000 + "]",
    ]
    assert [text for text in cases if extract(text) is not None] == []


def test_a_fenced_value_wins() -> None:
    cases = {
        '```json\n{"a": 1}\n```\n[1, 2, 3, 4, 5, 6, 7]': {"a": 1},
        '[1, 2, 3, 4, 5, 6, 7]\n```\n{"a": 1}\n```': {"a": 1},
        '[1, 2, 3, 4, 5]\n~~~~\n["a"]\n~~~~': ["a"],
        'Here: ```{"a": 1}``` or [1, 2, 3, 4, 5, 6]': {"a": 1},
        '```json {"a": 1} ``` or [1, 2, 3, 4, 5, 6]': {"a": 1},
        '[1, 2, 3, 4, 5, 6]\n```json\n{"a": 1}': {"a": 1},
        '```json\n{"a": "```js\\n[]\\n```"}\n```': {"a": "```js\n[]\n```"},
        '```json\n{"a": 1}```\n[1, 2, 3, 4, 5, 6]': {"a": 1},
        "```\n[1]\n```\n```\n[1, 2]\n```\n[1, 2, 3]": [1, 2],
        "```python\nplan = ['a']\n```\n[1, 2, 3, 4]": ["a"],
        "```\nno value\n```\n[1, 2, 3, 4]": [1, 2, 3, 4],
        '> ```json\n> {"a": 1}\n> ```\n[1, 2, 3, 4, 5]': {"a": 1},
    }
    assert {text: extract(text) for text in cases} == cases


def test_thinking_is_stripped() -> None:
    cases = {
        "<think>Hm.</think>Yes.": "Yes.",
        "Well <think>Hm.</think>yes.": "Well yes.",
        "Hm.\n</think>\n\nYes.": "Yes.",
        "<think>Hm.\nOr not": "",
        "Yes.\n <thinking>Hm.": "Yes.",
        "<think>a <think> b</think> c</think> Yes.": "Yes.",
        "<THINK>a</THINK>Yes.<think>b</think>": "Yes.",
        "The tag <think> opens.": "The tag <think> opens.",
        "The tag `</think>` closes.": "The tag `</think>` closes.",
        "Hm.</think>```json\n[1]\n```": "```json\n[1]\n```",
    }
    assert {text: strip_thinking(text) for text in cases} == cases


def test_a_value_in_thinking_counts_only_when_nothing_else_was_said() -> None:
    assert extract('<think>[1, 2, 3]</think>{"a": 1}') == {"a": 1}
    assert extract("<think>[1, 2, 3]</think>I cannot.") is None
    assert extract("<think>[1, 2, 3]") == [1, 2, 3]


def test_what_is_nested_too_deeply_is_no_value() -> None:
    assert extract("[" * DEEPEST + "1" + "]" * DEEPEST) is not None
    assert extract('{"a": ' * 50_000 + "x" + "}" * 50_000) is None
    deepest = extract("[" * 50_000 + "1" + "]" * 50_000)
    assert json.dumps(deepest) == "[" * DEEPEST + "1" + "]" * DEEPEST


def test_a_python_literal_is_bounded() -> None:
    assert extract("[" + "'a'," * (LONGEST_LITERAL // 4) + "['b']]") == ["b"]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    st.lists(SCALARS, max_size=4) | st.dictionaries(st.text(), SCALARS, max_size=4),
    lambda inner: st.lists(inner | SCALARS, max_size=4) | st.dictionaries(st.text(), inner | SCALARS, max_size=4),
    max_leaves=12,
)
PROSE = st.text(alphabet="abc it's (so) 1. — é\n\"", max_size=40)


@given(VALUES, PROSE, PROSE, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_any_json_value_is_found_in_prose(
    value: Any, before: str, after: str, indent: int | str | None, is_ascii: bool
) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert extract(f"{before}.\n{written}\n.{after}") == value


@given(
    VALUES, VALUES, st.sampled_from(["```", "```json", "~~~", "````JSON"]), st.sampled_from(["", "<think>[0]</think>"])
)
def test_any_fenced_value_wins_over_any_outside(inside: Any, outside: Any, fence: str, thinking: str) -> None:
    other = json.dumps(outside)
    text = f"{thinking}{other}\n{fence}\n{json.dumps(inside)}\n{fence.rstrip('jsonJSON')}\n{other}"
    assert extract(text) == inside


@given(VALUES, PROSE)
def test_any_python_literal_of_plain_values_is_found(value: Any, before: str) -> None:
    assert extract(f"{before}.\n{value!r}") == value


@given(st.text(alphabet="[]{}()\"'`~\\:,1a \n<think>/"))
def test_any_text_gives_a_value_or_none(text: str) -> None:
    assert extract(text) is None or isinstance(extract(text), dict | list)


@given(st.text())
def test_stripping_thinking_only_takes_away(text: str) -> None:
    rest = iter(text)
    assert all(letter in rest for letter in strip_thinking(text))


@pytest.mark.slow
def test_hostile_input_is_read_to_its_end(subtests: pytest.Subtests) -> None:
    """What is not linear would not end within the patience of anybody; `bench/extractor.py` has the times."""
    cases = [
        "[",
        '{"a":',
        "[x]",
        '"',
        "'",
        "\\",
        "`",
        "```\n",
        '{"a":[',
        "[1,",
        "['",
        '["\\',
        "<think>",
        "~~~[",
        '{"a":"',
        ", ",
    ]
    for piece in cases:
        with subtests.test(piece=piece):
            value = extract(piece * (250_000 // len(piece)))
            assert value is None or isinstance(value, (dict, list))
