"""Tags and text are told apart as browsers tell them, and put into the order that browsers give them."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from spyglass.documents.html.markup import attributes, decoded, tokens
from spyglass.documents.html.structure import VOID, OpenElements

UNSEEN = ("script", "style", "textarea")


def steps(source: str) -> Iterator[tuple[str, str]]:
    """Yield what opens, closes and stands between, by the rules of the open elements alone."""
    elements = OpenElements()
    for text, kind, name, value in tokens(source):
        if text:
            yield "text", text
        if kind == "raw":
            yield "text", value
        elif kind and name not in VOID:
            left = elements.ended_by(name) if kind == "start" else elements.ended_by_end_tag(name)
            while len(elements.names) > left:
                yield "close", elements.names[-1]
                elements.pop()
            if kind == "start":
                elements.push(name)
                yield "open", name
    while elements.names:
        yield "close", elements.names[-1]
        elements.pop()


def outline(source: str) -> str:
    """Write a page as properly nested brackets."""
    signs = {"open": "({0}", "close": ")", "text": "{0}"}
    return "".join(signs[kind].format(value) for kind, value in steps(source))


def test_tags_text_and_what_is_not_parsed_are_told_apart() -> None:
    assert list(tokens('a<P Class="x > y">b</P\n>c<script>if (a<b) "</p>"</script >d')) == [
        ("a", "start", "p", ' Class="x > y"'),
        ("b", "end", "p", ""),
        ("c", "start", "script", ""),
        ("", "raw", "script", 'if (a<b) "</p>"'),
        ("", "end", "script", ""),
        ("d", "", "", ""),
    ]


def test_comments_and_declarations_are_left_out() -> None:
    source = "<!doctype html>1<!-- <p> -- > -->2<!-->3<!--->4<!-- x --!>5<?php a ?>6</ b>7<![CDATA[x]]>8<!-- <p>"
    assert "".join(text for text, *_ in tokens(source)) == "12345678"


def test_an_element_that_xhtml_ends_does_not_swallow_the_page() -> None:
    frame = '<iframe src="a"/><p>read</p>'
    assert outline(frame) == "(iframe)(pread)"
    assert outline(f"{frame}<iframe></iframe>") == "(iframe<p>read</p><iframe>)", "as browsers read HTML"
    xhtml = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "">'
    assert outline(f"{xhtml}{frame}<iframe></iframe>") == "(iframe)(pread)(iframe)"
    assert outline(f"{xhtml}<iframe src=a/>b</iframe>") == "(iframeb)", "the slash is part of the address"
    assert outline(f"{frame}<script/>b<script></script>") == "(iframe)(pread)(scriptb<script>)", "each by itself"


def test_what_is_no_tag_is_text() -> None:
    assert [text for text, *_ in tokens("1 < 2 <3 <> << &lt;p&gt;")] == ["1 < 2 <3 <> << &lt;p&gt;"]


def test_attributes_are_read_in_every_way_of_writing_them() -> None:
    raw = """ A='1"' b="2'" c=3/ d e = "5" a=6 data-x='&lt;&amp;' /f/"""
    assert attributes(raw) == {"a": '1"', "b": "2'", "c": "3/", "d": "", "e": "5", "data-x": "<&", "f": ""}


def test_references_are_decoded_and_absurd_ones_cost_nothing() -> None:
    assert decoded("&eacute;&#233;&#xE9;&#128; &nope; &#0;") == "ééé€ &nope; \ufffd"
    assert decoded("&#" + "9" * 1_000_000 + ";.") == "\ufffd."


def test_elements_that_need_no_end_tag_end_where_the_standard_says() -> None:
    assert outline("<p>1<p>2<div>3</div>4") == "(p1)(p2)(div3)4"
    assert outline("<ul><li>1<li>2<ul><li>3</ul><li>4</ul>") == "(ul(li1)(li2(ul(li3)))(li4))"
    assert outline("<dl><dt>1<dd>2<dt>3</dl>") == "(dl(dt1)(dd2)(dt3))"
    assert outline("<table><tr><td>1<td>2<tr><th>3<tbody><tr><td>4</table>5") == (
        "(table(tr(td1)(td2))(tr(th3))(tbody(tr(td4))))5"
    )
    assert outline("<table><tr><td><p>1<table><td>2</table>3<td>4</table>") == "(table(tr(td(p1)(table(td2))3)(td4)))"
    assert outline("<h1>1<h2>2</h1>3") == "(h11)(h22)3"


def test_end_tags_end_only_what_is_in_their_reach() -> None:
    assert outline("<div><table><td>1</div>2</table>3</div>") == "(div(table(td12))3)"
    assert outline("<b><div>1</b>2</div>3") == "(b(div12)3)"
    assert outline("1</div>2</p>3</td>4") == "1234"
    assert outline("<p>1<b>2</p>3") == "(p1(b2))3"


SOUP = (
    "<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</li>", "</ul>", "<h2>", "</h2>", "<section>", "</section>",
    "<br>", "<script>", "</script>", "<style>", "</style>", "<!-- c -->", "<!x>", "<span>", "</span>", "<textarea>",
    "</textarea>", "<p title='>'>", '<div a="b" c=d/e f>', "word ", "two words ", "&amp;", "&lt;b&gt; ", "1 < 2 ", "<>",
    "</>", "<?x?>", "é ", "<!-->", "<!---", "-->", "<a b='", "'>", '<i c="', '">',
)  # fmt: skip
TABLES = ("<table>", "</table>", "<td>", "<tr>", "<a href=x>", "</a>")


@given(st.lists(st.sampled_from(SOUP), max_size=30).map("".join))
@settings(max_examples=500)
def test_a_soup_has_the_text_that_an_html5_parser_finds(source: str) -> None:
    tree = LexborHTMLParser(source)
    for node in tree.css(", ".join(UNSEEN)):
        node.decompose()
    expected = tree.body.text() if tree.body else ""
    found, unseen = "", 0
    for kind, value in steps(source):
        if kind == "text" and not unseen:
            found += decoded(value)
        unseen += (value in UNSEEN) * ((kind == "open") - (kind == "close"))
    assert "".join(found.split()) == "".join(expected.split())


@given(st.lists(st.sampled_from((*SOUP, *TABLES)), max_size=40).map("".join))
def test_every_element_is_closed_inside_the_one_it_was_opened_in(source: str) -> None:
    opened: list[str] = []
    for kind, name in steps(source):
        if kind == "open":
            opened.append(name)
        elif kind == "close":
            assert opened.pop() == name
    assert not opened
