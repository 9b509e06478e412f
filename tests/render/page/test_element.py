"""What is not an element is text."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import html as parser

from spyglass.render.page.element import Html, element, joined, markup


def test_text_cannot_become_an_element_or_an_attribute() -> None:
    made = element("p", "<b>&", class_='a" onclick="x', aria_label="<")
    assert made == '<p class="a&quot; onclick=&quot;x" aria-label="&lt;">&lt;b&gt;&amp;</p>'


def test_elements_stand_in_elements() -> None:
    assert element("p", element("b", "x"), " & ", Html("<br>")) == "<p><b>x</b> &amp; <br></p>"
    assert element("a", "x", href=None, tabindex=0) == '<a tabindex="0">x</a>'
    assert joined("a", "", element("i", "b"), by=" < ") == "a &lt; <i>b</i>"


def test_characters_that_turn_or_break_a_page_are_not_shown() -> None:
    assert markup("a\u202eb\x00c\ud800d\u2066e\n\tf") == "abcde\n\tf"


@given(st.text())
def test_any_text_is_shown_as_it_is(text: str) -> None:
    shown = markup(text)
    shown.encode()
    assert not isinstance(text, Html)
    tree = parser.fragment_fromstring(f"<p>{shown}</p>")
    assert len(tree) == 0
