"""A page becomes the text that its reader sees, in Markdown, and nothing else."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spyglass.documents.html.reader import Extract, read_html

LOREM = "The observatory on the hill was built in 1887 and still opens on every clear night of the year. "


def read(body: str, head: str = "") -> Extract:
    source = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    return read_html(source.encode(), "https://example.com/a/page.html", "text/html")


def text_of(body: str) -> str:
    return read(body).text


# What stays


def test_headings_paragraphs_lists_tables_and_code_become_markdown() -> None:
    found = text_of(
        "<h1>Lenses</h1><p>A <b>lens</b> bends <a href='/l'>light</a>.</p><h3>Kinds</h3>"
        "<ul><li>convex<ul><li>plano</li></ul></li><li>concave</li></ul><ol start=3><li>third<li>fourth</ol>"
        "<table><tr><th>Name<th>f<tr><td>A | B<td>50&nbsp;mm</table>"
        "<pre><code class='language-python'>if lens:\n    print('it  works')\n</code></pre>"
    )
    assert found == (
        "# Lenses\n\nA lens bends light.\n\n### Kinds\n\n- convex\n  - plano\n- concave\n\n3. third\n4. fourth\n\n"
        "| Name | f |\n| --- | --- |\n| A \\| B | 50 mm |\n\n```\nif lens:\n    print('it  works')\n```"
    ).replace("```\nif", "```python\nif")


MANUAL = """The slow start never applies when the pier opens, or
it would be a trouble to the boats.

 timeout &lt;minutes&gt;
     is the time in which a boat has to be moored
     by its crew.

 - a fee is due
 - the tide is not
   waited for

   +--[a]--&gt;[b]
"""


def test_prose_that_is_set_as_its_author_set_it_is_prose_and_what_is_drawn_in_it_is_not() -> None:
    assert text_of(f"<pre class='text'>{MANUAL}</pre>") == (
        "The slow start never applies when the pier opens, or it would be a trouble to the boats.\n\n"
        "timeout \\<minutes>\n\nis the time in which a boat has to be moored by its crew.\n\n"
        "- a fee is due\n- the tide is not waited for\n\n```\n   +--[a]-->[b]\n```"
    )
    for code in (
        "# Set the time that is left to a boat in the pier of\n# the harbour.\ntimeout 10min\nlimit 3\n",
        "COMMENT ON TABLE boat IS 'The boats that are in the pier.';\nCOMMENT ON TABLE fee IS 'What is to be paid.';",
    ):
        assert text_of(f"<pre>{code}</pre>").startswith("```")


def test_entities_are_decoded_and_white_space_is_normalised() -> None:
    assert text_of("<p>\n  Tom &amp; Jerry&#8217;s\t\xa0 &#x1F52D; &lt;b&gt;  </p>") == r"Tom & Jerry’s 🔭 \<b>"


def test_markup_within_a_line_leaves_no_trace_and_joins_no_words() -> None:
    assert text_of("<p>a<b>b</b>c <i>d</i> <a href=x>e</a>,<span> f</span></p>") == "abc d e, f"


def test_one_break_is_a_space_and_two_begin_a_paragraph() -> None:
    assert text_of("<p>Name<br>Street<br/><br> Town</p>") == "Name Street\n\nTown"


def test_powers_stay_powers_and_footnote_marks_go() -> None:
    body = (
        "<p>10<sup>6</sup> stars<sup>[2]</sup> in m<sup>-2</sup>, the 5<sup>th</sup><sup><a href='#n'>7</a></sup>.</p>"
    )
    assert text_of(body) == "10⁶ stars in m⁻², the 5th."
    assert text_of(
        "<p>2<sup>64</sup> &gt; 2<sup>n</sup> &gt; x<sup>n-1</sup>, Acme<sup>TM</sup> 2<sup>e</sup></p>"
    ) == ("2⁶⁴ > 2^n > x^(n-1), AcmeTM 2e")


def test_the_cells_of_a_table_stand_in_their_columns() -> None:
    found = text_of(
        "<table><thead><tr><th rowspan=2>Star<th colspan=2>Size</tr><tr><th>km<th>Sun = 1</tr></thead>"
        "<tr><td>Sun<td>1<td><ul><li>one<li>1.0</ul></tr></table>"
    )
    assert found.split("\n") == [
        "| Star | Size km | Size Sun = 1 |",
        "| --- | --- | --- |",
        "| Sun | 1 | one; 1.0 |",
    ]


def test_a_table_has_the_head_that_it_says_or_that_is_certain() -> None:
    for rows, first in (
        ("<tr><td>auto_thaw<td>retries frozen messages<tr><td>freeze_tell<td>sends a message", "|  |  |"),
        ("<tr><th>Default:<td>5<tr><th>Status:<td>Core", "|  |  |"),
        ("<tr><th>Name<th>Size<tr><td>Sun<td>1", "| Name | Size |"),
        ("<tr><td>Name<td>Size<td>Mass<tr><td>Sun<td>1<td>2", "| Name | Size | Mass |"),
        ("<tr><td><b>Name</b><td><b>Room</b><tr><td>Ilse<td>Loft", "| Name | Room |"),
        ("<tr><td scope=col>Name<td scope=col>Room<tr><td>Ilse<td>Loft", "| Name | Room |"),
        ("<tr><th colspan=3>Stars<tr><td>Name<td>Size<td>Mass<tr><td>Sun<td>1<td>2", "Stars"),
        ("<tr><td>Ilse Brandt<td>4411<td>Room 2<tr><td>Omar Diallo<td>4427<td>Room 5", "|  |  |  |"),
        ("<tr><td>Ilse Brandt<td>harbour<td>blue<tr><td>Omar Diallo<td>hill<td>green", "|  |  |  |"),
    ):
        assert text_of(f"<table>{rows}</table>").splitlines()[0] == first


def test_names_over_several_columns_stand_before_those_below_them() -> None:
    found = text_of(
        "<table><tr><td rowspan=2>Name<td colspan=2>Weekdays<td colspan=2>Weekend<tr><td>Start<td>End<td>Start<td>End"
        "<tr><td>Omar<td>08:30<td>17:00<td>10:00<td>14:00</table>"
    )
    assert found.split("\n")[0] == "| Name | Weekdays Start | Weekdays End | Weekend Start | Weekend End |"


def test_a_line_that_begins_with_a_label_is_a_paragraph() -> None:
    assert text_of(
        "<p><b>Syntax:</b> Idle <i>n</i><br>\n<strong>Default:</strong> 600 <b>seconds</b><br>or so</p>"
    ) == ("Syntax: Idle n\n\nDefault: 600 seconds or so")


def test_a_table_that_lays_a_page_out_is_read_as_text() -> None:
    found = text_of(f"<table><tr><td><a href=/>Home</a><td><h1>Stars</h1><p>{LOREM * 4}</p></table>")
    assert "|" not in found
    assert "# Stars\n\nThe observatory" in found


def test_the_lines_of_code_stay_whatever_marks_them_up() -> None:
    found = text_of("<pre>\n<span class=line>a = 1</span>\n<div>b\t= 2</div><div>c</div>d<br>e   \n\n</pre>")
    assert found == "```\na = 1\nb   = 2\nc\nd\ne\n```"


def test_text_that_looks_like_markdown_opens_no_heading_and_no_fence() -> None:
    found = text_of("<p># not a heading</p><p>```</p><pre>```\nx</pre>")
    assert found == "\\# not a heading\n\n\\`\\`\\`\n\n```\n    ```\nx\n```"


def test_signs_that_markdown_would_not_show_are_escaped() -> None:
    assert text_of("<p>‘<code>*</code>’ and <i>_x_</i> of `all' \\* but a_b, __init__ and 3 < 4</p>") == (
        r"‘\*’ and \_x_ of \`all' \\\* but a_b, __init__ and 3 < 4"
    )


def test_the_first_heading_is_kept_when_it_stands_above_the_content() -> None:
    body = f"<header><h1>Stars</h1><a href=/>Home</a></header><main><h2>Near</h2><p>{LOREM * 4}</p></main>"
    assert text_of(body).startswith("# Stars\n\n## Near\n\nThe observatory")


# What goes


def test_scripts_styles_and_what_is_not_rendered_never_become_text() -> None:
    body = "".join(
        f"<{name}>SECRET &lt;b&gt; words</{name}>"
        for name in ("script", "style", "noscript", "template", "svg", "iframe", "textarea", "object", "canvas")
    )
    assert text_of(body + "<!-- SECRET --><p>Seen.</p><script>var a = '<p>SECRET</p>'</script>") == "Seen."


def test_hidden_text_never_becomes_text(subtests: pytest.Subtests) -> None:
    hidings = [
        "hidden",
        "hidden=until-found",
        "style='display:none'",
        "STYLE='color:red; DISPLAY : NONE !important'",
        "style=visibility:hidden",
        "style='opacity:0'",
        "style='font-size:0px;color:red'",
        "style='position:absolute;left:-9999px'",
        "aria-hidden=true",
        "class='note sr-only'",
    ]
    names = ["p", "div", "span", "section", "li", "td", "a", "b", "custom-element"]
    for hiding in hidings:
        for name in names:
            with subtests.test(hiding=hiding, name=name):
                again = "i" if name in ("p", "li", "a") else name  # another of these would end the first
                inner = f"<{name} {hiding}>SECRET <{again}>SECRET</{again}><i>SECRET</i></{name}>"
                assert text_of(f"<div><p>Before.</p>{inner}</div><p>After.</p>").replace("\n", "") == "Before.After."


def test_what_follows_a_hidden_paragraph_that_is_not_closed_is_seen() -> None:
    assert text_of("<p hidden>SECRET<p>Seen.<ul><li hidden>SECRET<li>One</ul>") == "Seen.\n\n- One"


def test_what_is_faded_in_or_shown_on_wide_screens_is_seen() -> None:
    body = "<p style='opacity:0;transform:translateY(9px)'>Moves.</p><p class='hidden md:block'>Wide.</p>"
    assert text_of(body) == "Moves.\n\nWide."


def test_a_page_that_hides_its_body_until_it_is_ready_is_read() -> None:
    assert text_of("</body><body style='visibility:hidden'><p>Seen.</p>") == "Seen."


HEADER = "<header>MENU <a href=/l>MENU</a></header>"
FURNITURE = """<nav><a href=/>MENU</a></nav><div class="cookie-banner">MENU</div>
<div id="sidebar"><ul><li><a href=/1>MENU</a><li><a href=/2>MENU</a></ul></div><div role=banner>MENU</div>
<ul class="breadcrumbs"><li>MENU</ul><aside>MENU</aside><div class="share-buttons">MENU</div><button>MENU</button>
<footer><p>MENU</p></footer><div class="related-posts"><a href=/r>MENU of MENU</a></div>"""


@pytest.mark.parametrize("wrapper", ["<main>{}</main>", "<article>{}</article>", "<div role=main>{}</div>", "{}"])
def test_menus_banners_and_sidebars_go(wrapper: str) -> None:
    content = f"<h1>Stars</h1><p>{LOREM * 3}</p><p>{LOREM}</p>"
    for body in (HEADER + FURNITURE + wrapper.format(content), wrapper.format(FURNITURE + content + FURNITURE)):
        assert "MENU" not in text_of(body)
        assert text_of(body).startswith("# Stars\n\nThe observatory")


def test_a_box_in_the_text_is_kept_although_it_is_called_a_sidebar() -> None:
    body = f"<p>{LOREM}</p><div class=sidebar><p>Box. {LOREM}</p></div><aside class=note>A note.</aside>"
    assert "Box. The" in text_of(f"<main>{body}</main>")
    assert "A note." in text_of(f"<main>{body}</main>")


def test_a_box_that_refers_to_pages_by_their_addresses_is_kept() -> None:
    address = "<a href=https://example.org/nfs/howto>https://example.org/nfs/howto</a>"
    box = f"<div class=sidebar><p>Documentation is scarce. Some stands here:</p><p>{address}</p></div>"
    assert "scarce" in text_of(f"<main><p>{LOREM}</p>{box}</main>")


def test_no_box_goes_from_a_page_that_a_program_for_documentation_made() -> None:
    boxes = [f"<div class=sidebar><p>Founder {n}</p><div class=para>{LOREM}{n} left.</div></div>" for n in range(3)]
    body = f"<div class=section><h2>Founders</h2>{boxes[0]}<div class=para>{LOREM * 4}</div>{boxes[1]}{boxes[2]}</div>"
    found = read(body + "<ul class=docnav><li><a href=/2>Next</a></ul>", "<meta name=generator content='publican v4'>")
    assert found.text.count("left.") == 3
    assert "Next" not in found.text


def test_a_page_of_headings_that_are_links_is_read() -> None:
    body = "".join(f"<h2><a href=/{n}>C.{n} What is wrong with economics, part {n}?</a></h2>" for n in range(20))
    assert "part 19?" in text_of(f"<div><h1>Myths</h1>{body}</div>")


def test_lists_of_links_go_where_no_element_says_that_it_is_the_content() -> None:
    links = "".join(f"<li><a href=/{n}>Another page {n}</a></li>" for n in range(9))
    found = text_of(f"<div><ul>{links}</ul></div><div><p>{LOREM * 3}</p><p>See <a href=/>this</a>.</p></div>")
    assert "Another" not in found
    assert found.endswith("See this.")


def test_a_list_of_links_is_kept_where_it_is_the_content() -> None:
    links = "".join(f"<li><a href=/{n}>The language number {n}</a></li>" for n in range(40))
    assert "number 39" in text_of(f"<main><h1>List of languages</h1><ul>{links}</ul></main>")
    assert "number 39" in text_of(f"<h1>List of languages</h1><ul>{links}</ul>")


def test_a_cluttered_page_is_read_down_to_its_article() -> None:
    teasers = "".join(
        f"<div class=c{n}><h3><a href=/{n}>Ten things {n}</a></h3><span>You will not believe what {n} is.</span></div>"
        for n in range(20)
    )
    story = "".join(f"<p>{LOREM} Paragraph {n} tells more, with details, names and dates.</p>" for n in range(8))
    code = "<pre>one  line\nof code</pre>"
    body = f"<div>{teasers}</div><div class=x1><h1>Stars</h1><h2>Near</h2>{story}{code}</div><div>{teasers}</div>"
    found = text_of(body)
    assert "believe" not in found
    assert found.startswith("# Stars\n\n## Near\n\nThe observatory")
    assert "Paragraph 7 tells" in found
    assert found.endswith("```\none  line\nof code\n```")


def test_what_stands_between_the_paragraphs_of_an_article_stays_unless_it_is_links() -> None:
    paragraphs = [f"<p>{LOREM} Paragraph {n} tells more, with details, names and dates.</p>" for n in range(6)]
    long = (
        "<div>It is told without a paragraph of its own, 2<sup>64</sup> times to &lt;upstream&gt;. "
        + LOREM * 2
        + "</div>"
    )
    table = "<table><tr><th>Star<th>km<tr><td>Sun<td>1</table>"
    promoted = (
        "<div><h4>Read more</h4><ul><li><a href=/1>Ten things to know</a></ul></div><div>Never miss a story.</div>"
    )
    items = "<ul><li>It opens at nine<li>It closes at five</ul>"
    between = f"<h2>Sizes</h2>{table}{promoted}{items}{long}"
    body = f"<div><h1>Stars</h1>{''.join(paragraphs[:3])}{between}{''.join(paragraphs[3:])}</div>"
    found = text_of(f"<div>By Ada, two hours ago</div>{body}<div>All rights reserved.</div>")
    assert "## Sizes\n\n| Star | km |" in found
    assert "- It opens at nine\n- It closes at five" in found
    assert r"2⁶⁴ times to \<upstream>" in found
    for gone in ("Ten things", "Never miss", "By Ada", "rights"):
        assert gone not in found


def test_a_question_above_its_answer_stays_whatever_it_stands_in() -> None:
    told = "{} is a binary file, and it must be sent as one, or the eighth bit of each byte is lost for good."
    asked = "Why is a backup that was sent by FTP broken?"
    answers = "".join(f"<p>{told.format(name)}</p>" for name in ("A slice", "A copy"))
    source = (
        f"<p>{told.format('A backup')}</p><p>{told.format('An archive')}</p><div>{asked}</div>{answers}<div>Why?</div>"
    )
    assert f"{asked}\n\nA slice" in text_of(source)


def test_text_that_stands_in_nothing_but_the_page_is_a_paragraph() -> None:
    loose = [f"A dome of kind {number} is one that turns." for number in range(5)]
    body = "".join(f"<h2>Kind {number}</h2>{text}<p>{LOREM * 3}<p>" for number, text in enumerate(loose))
    found = text_of(body)
    assert [text for text in loose if text not in found] == []


def test_an_article_that_trafilatura_misses_is_read_without_it() -> None:
    story = "".join(f"<div>{LOREM} Part {n} tells more, with details and names.</div>" for n in range(9))
    body = f"<div class=sidebar-menu>{story}</div><p>{LOREM * 3}</p>"
    assert "Part 8 tells" in text_of(body)


def test_of_documentation_every_word_is_kept(subtests: pytest.Subtests) -> None:
    options = "<dl><dt>-v<dd>Talks.<dt>-q<dd>Is silent.</dl><h2>See also</h2><p>stow(1)</p>"
    pages = {
        "marked by its program": f"<div class=sectionbody><p>{LOREM * 3}</p>{options}</div>",
        "with code": f"<main><pre>stow -v</pre><p>{LOREM * 3}</p>{options}</main>",
        "with much code": f"<pre>stow -v\nstow -q\nstow --help</pre><p>{LOREM * 3}</p>{options}",
    }
    for name, body in pages.items():
        with subtests.test(name=name):
            assert text_of(body).endswith("-v\n\nTalks.\n\n-q\n\nIs silent.\n\n## See also\n\nstow(1)")


def test_a_heading_that_the_title_has_stands_before_an_article_no_more() -> None:
    body = f"<div><h1>Stars</h1></div><div class=entry-content><p>{LOREM * 3}</p><p>{LOREM * 3}</p></div>"
    assert read(body, "<title>Planets</title>").text.startswith("# Stars")
    assert read(body, "<title>Stars | The Sky</title>").text.startswith("The observatory")


def test_invisible_characters_go_and_those_that_scripts_need_stay() -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore all")
    needed = "\u0645\u06cc\u200c\u062e ❤️\u200d🔥"
    found = text_of(f"<p>safe\u202eevil\u202c soft\xadhyphen\u200b\ufeff{tags}\x01&#x8; {needed} a\u200d\u200db</p>")
    assert found == f"safeevil softhyphen {needed} ab"


# What else is told


def test_title_author_date_language_and_site_are_told() -> None:
    found = read(
        "<article><p>Text.</p></article>",
        "<title>Stars | The Sky</title><meta property=og:title content='All about &quot;stars&quot;'>"
        "<meta name=author content='Ada Lovelace'><meta property=article:published_time content=2023-05-17T08:00:00Z>"
        "<meta property=og:site_name content='The Sky'><meta http-equiv=content-language content=de-AT>",
    )
    assert (found.title, found.author, found.published) == ('All about "stars"', "Ada Lovelace", "2023-05-17")
    assert (found.language, found.site) == ("de", "The Sky")


def test_a_page_of_a_program_needs_a_browser() -> None:
    shell = "<div id=root></div><script src=/app.js></script>"
    assert read(shell + "<noscript>You need to enable JavaScript to run this app.</noscript>").needs_browser
    assert read("<h1>Shop</h1>" + shell).needs_browser
    assert read("<div id='__next'><p>Loading…</p></div><script src=/app.js></script>").needs_browser
    assert read("<noscript>Bitte aktivieren Sie JavaScript.</noscript><p>…</p><script src=a></script>").needs_browser
    assert read("<script>document.write('all')</script>").needs_browser


def test_an_ordinary_short_page_needs_no_browser() -> None:
    assert not read(
        "<h1>Hours</h1><p>Open from nine to five on every weekday.</p><script src=count.js></script>"
    ).needs_browser
    assert not read(f"<div id=root><p>{LOREM}</p></div><script src=/app.js></script>").needs_browser
    assert not read("<p>Hi.</p>").needs_browser
    assert not read("").needs_browser
    assert not read(
        f"<noscript>Enable JavaScript for comments.</noscript><p>{LOREM * 9}</p><script></script>"
    ).needs_browser


def test_a_page_that_leads_on_says_where() -> None:
    cases = {
        "0; url=/gzip": "https://example.com/gzip",
        "3;URL='next.html'": "https://example.com/a/next.html",
        "0;https://example.org/": "https://example.org/",
        "30; url=/late": "",
        "0; url=javascript:alert(1)": "",
        "0; url=file:///etc/passwd": "",
        "0; url=http://[broken": "",
        "0; url=page.html": "",
        "5": "",
        "": "",
    }
    assert {
        content: read("<h1>Moved</h1>", f'<meta http-equiv="refresh" content="{content}">').refresh for content in cases
    } == cases


def test_a_page_with_text_that_reloads_itself_does_not_lead_on() -> None:
    assert read(f"<p>{LOREM * 9}</p>", '<meta http-equiv="refresh" content="5; url=/other">').refresh == ""


# Any page whatever


def hostile_pages() -> Iterator[str]:
    yield "<div>" * 50_000 + "deep"
    yield "<" * 3_000_000
    yield "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">deep"
    yield "<p><font color=1>" * 40_000
    yield "<ul><li>" * 25_000
    yield "<table><tr><td>" * 25_000
    yield "<table><tr><td>1<td>2<tr><td>3<td>" * 10_000 + "<h1>4"
    yield "<a<a" * 500_000
    yield '<p a="' * 300_000
    yield "<!--" * 300_000
    yield "<script>" * 200_000
    yield "&#" + "9" * 1_000_000
    yield "<pre>" + "\n\t" * 300_000
    yield "<p style='" + "opacity:0" * 100_000
    yield "<div class='" + "a-" * 200_000 + "sidebar'>x"
    yield "\u200d\ufe0f" * 300_000
    yield '<script type="application/ld+json">' + "[" * 150_000 + "</script>"
    yield "x<br>" * 200_000
    yield "<sup>1" * 100_000


@pytest.mark.slow
def test_a_hostile_page_is_read_to_its_end() -> None:
    """What is not linear would not end within anybody's patience."""
    found = ((page[:30], read_html(page.encode(), "https://example.com/", "text/html")) for page in hostile_pages())
    assert [start for start, page in found if not well_kept(page.text)] == []


def test_what_stands_deep_in_a_page_is_read() -> None:
    assert text_of("<div>" * 20_000 + "<p>Deep.</p>" + "</div>" * 20_000 + "<p>After.</p>") == "Deep.\n\nAfter."


def test_a_page_of_ten_megabytes_is_read_as_far_as_is_reasonable() -> None:
    found = read_html((f"<p>{LOREM}</p>" * 100_000).encode(), "https://example.com/", "text/html")
    assert 3_000_000 < len(found.text) < 10_000_000
    assert found.cut
    assert not read(f"<p>{LOREM}</p>").cut


def test_broken_markup_is_read(subtests: pytest.Subtests) -> None:
    cases = [
        "",
        "just text",
        "<",
        "</",
        "<!",
        "<p",
        "<p>text<",
        "<frameset><frame src=a><noframes>Old</noframes></frameset>",
        "<table><td>a<table></td></table></p></td>",
        "</div></p></table>text",
        "<b><p>mis</b>nested</p>",
        "\x00<p>nul\x00</p>",
        "<title>only",
        "<h1></h1><ul></ul><table></table><pre></pre>",
    ]
    for source in cases:
        with subtests.test(source=source):
            found = read_html(source.encode(), "", "")
            assert found.text.removesuffix("<") in ("", "just text", "text", "Old", "a", "misnested", "nul")


FRAGMENTS = (
    "<p>", "</p>", "<div>", "</div>", "<div hidden>", "<span style='display:none'>", "</span>", "<table>", "<tr>",
    "<td>", "</table>", "<td colspan=3 rowspan=9>", "<ul>", "<ol start=7>", "<li>", "</ul>", "<pre>", "</pre>",
    "<h1>", "<h2>", "</h2>", "<a href=x>", "</a>", "<script>", "</script>", "<!--", "-->", "<br>", "<sup>",
    "</sup>", "<main>", "<article>", "</article>", "<nav>", "</nav>", "<dl>", "<dt>", "<dd>", "<b>", "</b>",
    "<textarea>", "<svg>", "</svg>", "<title>", "word", " two words ", "\n", "\t", "# ", "```", "|", "&amp;",
    "&#8203;", "\u202e", "\x02", "\x1b", "é", "日本", "<", ">", "<noscript>", "<section class=sidebar>", "</section>",
    "<img alt=math class=math>", "<meta name=author content=x>",
)  # fmt: skip
soup = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


def well_kept(text: str) -> bool:
    """Whether a text is as every text of a page is: visible, without idle white space, its fences in pairs."""
    in_code, blank = False, 0
    for line in text.split("\n"):
        in_code ^= line.startswith("```")
        blank = blank + 1 if not line and not in_code else 0
        if blank > 1 or line != line.rstrip() or not line.isprintable() or (not in_code and "  " in line.lstrip()):
            return False
    return not in_code and text == text.strip()


@given(soup)
@example("<pre>a\n\n\n\nb</pre>")
@example("<ul><ul><li>a")
@example("<ul><li><ul><li>a")
@settings(max_examples=400)
def test_any_soup_of_tags_becomes_well_kept_text(source: str) -> None:
    text = read_html(source.encode(), "https://example.com/", "text/html").text
    assert well_kept(text)


@given(st.binary(max_size=600), st.text(max_size=20))
def test_any_bytes_are_read(body: bytes, url: str) -> None:
    found = read_html(body, url)
    assert all(character == "\n" or character.isprintable() or ord(character) > 0xFF for character in found.text)


words = st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8), min_size=1, max_size=30)


@given(words, soup)
@example(["a", "a"], "<td><a href=x><img alt=math class=math><section class=sidebar>")
def test_a_paragraph_of_an_article_survives_whatever_stands_before_the_article(said: list[str], before: str) -> None:
    sentence = " ".join(said)
    clean = before.replace("<!--", "").replace("<svg>", "").replace("hidden", "").replace("display:none", "")
    for opened in ("script", "textarea", "noscript", "title", "pre", "nav", "table", "main", "article"):
        clean = clean.replace(f"<{opened}>", "")
    source = f"<div>{clean}</div><article><p>{sentence}</p></article>"
    assert sentence in read_html(source.encode(), "").text


@given(soup, st.sampled_from(["script", "style", "template", "noscript", "textarea"]))
def test_no_soup_lets_out_what_is_not_rendered(around: str, name: str) -> None:
    source = f"<div>{around.replace('<!--', '')}</div><{name}>UNSEEN</{name}><p>{around}</p>"
    assert "UNSEEN" not in read_html(source.encode(), "").text
