"""The visible text of Markdown and HTML."""

import html
import re

from ..kernel.one_line import one_line

_NOTE = r"(?:\d{1,3}|[a-z]|note \d{1,2})"
_TAGS = (
    "a|abbr|b|big|blockquote|br|center|cite|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|"
    "ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|script|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|"
    "tfoot|th|thead|tr|tt|u|ul|var|wbr"
)
"""HTML tags used in Markdown; any other name in angle brackets is a placeholder: `<file>`, `<base>/out`."""

_ATTRIBUTE = r"""\s+[a-zA-Z][\w:-]*(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))?"""
_OPENS, _CLOSES = r"""[\w"'“‘«(\[`$€£#@+~.-]""", r"""[\w"'”’»)\]`%.,:;!?…-]"""
"""First and last characters of emphasized text; a star between quotation marks is literal."""

_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            rf"<!--.*?(?:-->|\Z)|(?<!\\)</?(?:{_TAGS})(?:{_ATTRIBUTE}){{0,20}}\s*/?>", re.DOTALL | re.IGNORECASE
        ),
        " ",
    ),
    (re.compile(r"!\[[^\[\]\n]{0,500}\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?"), " "),
    (re.compile(rf"\[\\?\[{_NOTE}\\?\]\](?:\([^()\n]*\))?|(?<!\\)\[{_NOTE}\](?:\([^()\n]*\))?|\\\[{_NOTE}\\\]"), ""),
    (re.compile(r"\[(?<!\\\[)([^\[\]]{0,500})(?<!\\)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"), r"\1"),
    (re.compile(r"(?<![\w)\]\\])\[(?=[\w`*][^\[\]]*[^\W\d_]{3})([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,100}\]"), r"\1"),
    (re.compile(r"(?<!\w)\{[a-z][\w:.+-]{0,40}\}(?=`[^`\n])"), ""),
    (re.compile(r"(?<!`)`++(?!\S[^`\n]*+(?<=[\s(\[])`++\w)([^`\n]++)`++"), r"\1"),  # except `such' quotes
    (re.compile(r"(\*\*\*|\*\*)(?=\S)(.{1,1000}?)(?<=\S)\1", re.DOTALL), r"\2"),
    (re.compile(r"\A\*\*(?=[^\W\d_a-zß-öø-ÿ])|(?<=[.!?:…])\*\*\Z"), ""),  # of a run of bold type over two sentences
    (re.compile(r"(?<![\w\\])(___?)(?!\w+\1)(?=[^\s_])(.{1,1000}?)(?<=\S)\1(?!\w)", re.DOTALL), r"\2"),
    (re.compile(rf"(?<![\w*\\])\*(?={_OPENS})([^*\n]{{1,500}})(?<={_CLOSES})\*(?![\w*])"), r"\1"),
    (re.compile(rf"(?<![\w_\\])_(?={_OPENS})([^_\n]{{1,500}})(?<={_CLOSES})_(?![\w_])"), r"\1"),
    (re.compile(r"\n[ ]{0,3}>(?:[ ]?>)*[ ](?=[^\d\s=<>])"), "\n"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
"""Markup that is not visible to a reader, with its replacement: tags, pictures, footnote numbers, links, MyST roles,
code, emphasis, escapes, the marks of a quoted block."""


def visible(text: str) -> str:
    """Return the visible text of Markdown or HTML, in one line."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return one_line(html.unescape(text))
