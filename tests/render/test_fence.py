"""Code is shown, and of what it is said to be only a kind stays that no viewer makes something else of."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from spyglass.render.fence import KINDS, fence

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
