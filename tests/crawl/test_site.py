"""Which addresses are of a site, and which are one page."""

import pytest

from spyglass.crawl import Site
from spyglass.crawl.frontier import Frontier
from spyglass.crawl.site import family, has_text, page_key


def test_a_site_is_a_host_or_a_folder_of_it(subtests: pytest.Subtests) -> None:
    cases = [
        ("https://site.example/", "https://site.example/a/b?c=d#e", True),
        ("https://site.example/", "http://www.site.example/a", True),
        ("https://www.site.example/", "https://site.example", True),
        ("https://site.example/", "https://SITE.example:443/", True),
        ("https://site.example/", "https://site.example:8443/", False),
        ("https://site.example/", "https://sub.site.example/", False),
        ("https://site.example/", "https://site.example.evil.example/", False),
        ("https://site.example/", "https://evil.example/?https://site.example/", False),
        ("https://site.example/", "https://site.example@evil.example/", False),
        ("https://site.example/", "https:\\\\evil.example/site.example", False),
        ("https://site.example/", "file:///etc/passwd", False),
        ("https://site.example/", "javascript:alert(1)", False),
        ("https://site.example/", "raw:<p>hello", False),
        ("https://site.example/docs/", "https://site.example/docs/a", True),
        ("https://site.example/docs/", "https://site.example/docs", True),
        ("https://site.example/docs/", "https://site.example/docs-old/a", False),
        ("https://site.example/docs/", "https://site.example/", False),
        ("https://site.example/docs/", "https://site.example/docs/../secret", False),
        ("https://site.example/docs/", "https://site.example/docs/%2e%2e/secret", False),
        ("https://site.example/docs/index.html", "https://site.example/blog", True),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/", False),
        ("http://127.0.0.1/", "http://2130706433/", True),
    ]
    for site, url, held in cases:
        with subtests.test(site=site, url=url):
            assert Site.of(site).holds(url) is held


def test_one_page_has_one_key_however_it_is_written(subtests: pytest.Subtests) -> None:
    one = [
        "https://site.example/a/b?x=1&y=2",
        "http://www.site.example/a/b/?y=2&x=1#top",
        "https://SITE.example:443/a/./c/../b?x=1&y=2&utm_source=mail",
        "https://site.example/a/b?x=1&PHPSESSID=a1b2&y=2",
        "https://site.example/a/b;jsessionid=A1B2?x=1&y=2&sid=7",
    ]
    assert {page_key(url) for url in one} == {page_key(one[0])}
    others = ["https://site.example/a/B?x=1&y=2", "https://site.example/a/b?x=1", "https://site.example/a?x=1&y=2"]
    assert len({page_key(url) for url in [one[0], *others]}) == 4


def test_a_family_differs_in_digits_and_values_only() -> None:
    assert family("https://site.example/2026/05?day=1") == family("https://site.example/1999/12?day=monday")
    assert family("https://site.example/a?day=1") != family("https://site.example/a?month=1")
    assert [has_text(f"https://site.example/{name}") for name in ("a.PDF", "b.html", "c", "d.JPG", "e.tar.gz")] == [
        *(True, True, True, False, False)
    ]


def test_the_frontier_prefers_the_question_then_what_is_near_then_other_families() -> None:
    frontier = Frontier("How do lighthouses work?")
    for number in range(8):
        frontier.offer(f"https://site.example/news/{number}", "News", 1, 0.0)
    frontier.offer("https://site.example/far", "About us", 3, 0.0)
    frontier.offer("https://site.example/about", "About us", 1, 0.0)
    frontier.offer("https://site.example/optics", "Fresnel", 2, 1.0)
    frontier.offer("https://site.example/x", "The lighthouse", 2, 0.0)
    frontier.offer("https://site.example/x?utm_medium=mail", "The lighthouse", 2, 0.0)
    order = []
    while (candidate := frontier.pop()) is not None:
        order.append(candidate.url.removeprefix("https://site.example/"))
    assert order[:2] == ["optics", "x"] or order[:2] == ["x", "optics"]
    assert order.count("x") == 1
    assert len(order) == 12
    assert order.index("about") < order.index("news/1")
    assert order.index("far") < order.index("news/7")
