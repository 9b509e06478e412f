"""The links of a page: where they lead and what they say."""

import pytest

from spyglass.documents.html.links import LONGEST_ADDRESS, MOST, WebLink, read_links

PAGE = "https://site.example/docs/page.html"


def links(source: str) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("https://site.example"), link.text) for link in read_links(source, PAGE, 400_000)]


def test_the_links_of_a_page(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[tuple[str, str]]]] = [
        ("<a href=next.html>The <b>next</b>\n one &amp; only</a>", [("/docs/next.html", "The next one & only")]),
        ("<a href='/a#top'>A</a><a href=/a#end>Again</a>", [("/a", "A")]),
        ("<a href=/a><img src=x alt='A picture'></a>", [("/a", "A picture")]),
        ("<a href=/a></a><a href=/a>Said later</a>", [("/a", "Said later")]),
        ("<a href=/a>One<a href=/b>Two</a>", [("/a", "One"), ("/b", "Two")]),
        ("<base href=/other/><a href=a>A</a>", [("/other/a", "A")]),
        ("<base href='https://else.example/'><a href=a>A</a>", [("https://else.example/a", "A")]),
        (
            "<map><area href=/a alt=Area></map><frame src=/b><iframe src=c>",
            [("/b", ""), ("/docs/c", ""), ("/a", "Area")],
        ),
        ("<a rel='noopener NOFOLLOW' href=/a>A</a>", []),
        ("<a href=/a>A</a><meta name=ROBOTS content='noindex, nofollow'>", []),
        ("<script>'<a href=/a>A</a>'</script><!-- <a href=/b>B</a> --><textarea><a href=/c></a></textarea>", []),
        ("<a href='javascript:alert(1)'>J</a><a href=mailto:x@y.z>M</a><a href='data:,x'>D</a><a href='#'>T</a>", []),
        ("<a href='http://[::1'>Bad</a><a>None</a><a href=''>Empty</a>", []),
        (f"<a href=/{'x' * LONGEST_ADDRESS}>Long</a>", []),
        ("<a href=/a>never closed", [("/a", "never closed")]),
    ]
    for source, expected in cases:
        with subtests.test(source=source[:80]):
            found = [link for link in links(source) if link[0] != "/docs/page.html"]
            assert found == expected


def test_a_page_has_as_many_links_as_are_of_use() -> None:
    source = "".join(f"<a href=/{number}>{number}</a>" for number in range(MOST + 10))
    assert len(read_links(source, PAGE, 400_000)) == MOST
    assert read_links(source, PAGE, 4) == (
        WebLink("https://site.example/0", "0"),
        WebLink("https://site.example/1", "1"),
    )
