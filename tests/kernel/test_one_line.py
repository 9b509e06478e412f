"""What commands a terminal or turns the direction of text is taken out of it; all else stays as it is."""

import json

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.one_line import escaped_json, sanitized, sanitized_json, sanitized_markup

COMMANDS = "\x00\x07\x08\r\x1b\x7f\x80\x9b\x9d\x9f\u061c\u200e\u200f\u202a\u202e\u2066\u2069"


def test_no_command_is_left_and_nothing_else_goes() -> None:
    assert sanitized(COMMANDS) == ""
    assert sanitized("a\x1b[31mred\x1b]0;owned\x07 and\x9e 9 \x9d plain") == "ared and 9  plain"
    plain = "a\tb\nc é – 日本 שלום عربي \u200c\u200d 👩‍🚀"
    assert sanitized(plain) == plain
    assert sanitized_json({f"a{COMMANDS}": [COMMANDS, 1, None, {"b": "\x00\u202ec"}]}) == {
        "a": ["", 1, None, {"b": "c"}]
    }


def test_markdown_cannot_spell_them_either() -> None:
    spelt = "&#x202e;&#8238;&#X202E;&rlm;&lrm;&#27;&#x1b;&#155;&#0027;&#x0;"
    assert sanitized_markup(f"a{spelt}b{COMMANDS}") == "ab"
    for plain in ("&amp;", "&#233;", "&#x41;", "&nbsp;", "\\&#x202e;", "AT&T; &#99999999;", "&#x;"):
        assert sanitized_markup(plain) == plain


@given(st.text(st.sampled_from(f'{COMMANDS}a"\\\n\t é')))
def test_json_is_the_same_value_without_showing_one(text: str) -> None:
    value = {"text": [text, {text: 1}]}
    escaped = escaped_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(escaped) == value
    assert sanitized(escaped) == escaped
