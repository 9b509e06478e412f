"""What others wrote can say anything in a report, and do nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from spyglass.kernel.one_line import one_line
from spyglass.render.escape import KINDS, escaped, fence, linked

ATTACKS = [
    "[click](https://evil.example)",
    "![pixel](https://evil.example/p.png)",
    "<script>alert(1)</script>",
    "<https://evil.example>",
    "[a]: https://evil.example",
    "[x][a]\n\n[a]: javascript:alert(1)",
    "# Heading",
    "Heading\n=======",
    "> quote",
    "- item",
    "1. item",
    "```\ncode",
    "~~~\ncode",
    "> ~~~mermaid\n> graph LR",
    "- ~~~mermaid\n  graph LR",
    "- ```mermaid\n  graph LR\n  ```",
    "\\[click](https://evil.example)",
    "\\\\[click](https://evil.example)",
    "\\<script>alert(1)</script>",
    "`a [click](https://evil.example)",
    "`` ` `` [click](https://evil.example)",
    "| a | `b | <img src=x onerror=alert(1)>` |\n| --- | --- |\n| `c | [d](https://evil.example)` |",
    "<!-- hidden -->",
    "&lt;script&gt; &#60;b&#62;",
    "| a | b |\n| - | - |\n| 1 | 2 |",
    "text <b>bold</b>",
    "**bold** _emphasis_ ***both***",
]


def tokens(markdown: str) -> list[Token]:
    found: list[Token] = []
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown):
        found += [token, *(token.children or [])]
    return found


def kinds(markdown: str) -> set[str]:
    return {token.type for token in tokens(markdown)}


def shown(markdown: str) -> str:
    return "".join(token.content for token in tokens(markdown) if token.type in ("text", "text_special"))


def test_escaped_text_is_a_paragraph_of_text() -> None:
    text = {"paragraph_open", "inline", "text", "text_special", "paragraph_close"}
    assert [attack for attack in ATTACKS if not kinds(escaped(attack)) <= text] == []


@given(st.text(alphabet="ab1 \n\\`*_[]()<>#!|~&;:/.-+=@{}w'\"$", max_size=60))
def test_escaped_text_reads_as_it_was_written(text: str) -> None:
    assert shown(escaped(text)) == one_line(text)


@given(st.text(alphabet="ab1 \n\\`*_[]()<>#!|~&;:/.-+=@{}w'\"$", max_size=60))
def test_escaped_text_stays_a_paragraph_behind_a_bullet(text: str) -> None:
    found = kinds(f"- {escaped(text)}\n- end")
    assert not found & {"link_open", "image", "html_inline", "html_block", "heading_open", "em_open", "code_inline"}
    assert [token.type for token in tokens(f"- {escaped(text)}\n- end")].count("bullet_list_open") == 1


def test_no_dialect_finds_a_formula_and_prices_stay_as_they_are() -> None:
    formulas = [r"$\style{background:url(https\://e.example)}{x}$", "$$\nx\n$$", "$`x`$", "$5\\href{x}{y}$ z", "a$x$1"]
    assert [text for text in formulas if re.search(r"(?<!\\)\$(?!\d)", escaped(text))] == []
    assert escaped("It costs $5, then $7.50 or 8 US$9.") == "It costs $5, then $7.50 or 8 US$9."


def test_bare_addresses_do_not_become_links_on_github() -> None:
    assert escaped("see https://evil.example or www.evil.example or me@evil.example") == (
        r"see https\://evil.example or www\.evil.example or me\@evil.example"
    )


def test_ordinary_prose_is_left_as_it_is() -> None:
    prose = "It's a 5-step plan (see p. 4): snake_case names, 30 % of $5 - and a/b; done!"
    assert escaped(prose) == prose


def test_direction_overrides_and_control_characters_are_removed() -> None:
    assert one_line("a\u202eb\x00c\u200bd\n e") == "abcd e"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " https://a.example"])
def test_only_a_web_address_is_linked(url: str) -> None:
    assert not kinds(linked(url)) & {"link_open", "html_inline"}


def test_a_web_address_cannot_leave_its_link() -> None:
    found = tokens(linked("https://a.example/> <script>x</script>"))
    assert not {token.type for token in found} & {"html_inline", "html_block"}
    assert [token.attrs["href"] for token in found if token.type == "link_open"] != []


_ACTING = (
    "mermaid plantuml puml graphviz dot viz vega vega-lite wavedrom kroki abc geojson topojson stl math latex tex "
    "katex asciimath html svg xml mdx jsx query dataview dataviewjs include embed iframe ditaa d2 nomnoml bpmn "
    "excalidraw json:table suggestion Mermaid MERMAID mermaid-js {mermaid} {python} .mermaid"
)
ACTING = _ACTING.split()


def test_a_kind_of_which_a_viewer_makes_something_else_is_dropped() -> None:
    assert [name for name in ACTING if not fence("x", name).startswith("```\nx")] == []


def test_a_kind_that_viewers_colour_stays_under_its_first_name() -> None:
    cases = {"py": "python", "SQL": "sql", "sh": "bash", "c++": "cpp", "yml": "yaml", "text": "text", "": ""}
    assert {name: fence("x", name).split("\n")[0].strip("`") for name in cases} == cases


@given(st.text(alphabet="a`~ \n", max_size=30), st.sampled_from(["", *sorted(KINDS), *ACTING]))
def test_a_block_is_one_block_and_its_code_comes_back(code: str, name: str) -> None:
    block = fence(code, name)
    (token,) = MarkdownIt("commonmark").parse(block)
    assert (token.type, token.content) == ("fence", f"{code.rstrip()}\n")
    assert token.info in {"", *KINDS}
