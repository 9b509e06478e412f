"""Copies of one text are one, whatever stands around them; pages that share a frame are several."""

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.independence import FEWEST, SHINGLE, independent, originals
from spyglass.kernel.source import Source

SYLLABLES = ("ka", "lo", "mi", "ten", "ru", "sa", "pol", "ver", "din", "mor", "ax", "eli", "bra", "sto", "fen", "gil")
WORDS = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]


def prose(seed: int, words: int) -> str:
    """Return sentences that no other seed has."""
    made = random.Random(seed).choices(WORDS, k=words)
    lines = [" ".join(made[start : start + 11]).capitalize() for start in range(0, len(made), 11)]
    return ". ".join(lines) + "."


ARTICLE, OTHER, THIRD = prose(1, 600), prose(2, 600), prose(3, 500)
FRAME = prose(4, 120)


def groups(*texts: str) -> list[list[int]]:
    return independent(texts)


def test_different_texts_are_alone() -> None:
    assert groups(ARTICLE, OTHER, THIRD) == [[0], [1], [2]]


def test_no_texts_make_no_groups() -> None:
    assert groups() == []


def test_equal_texts_are_one_even_when_short_or_empty() -> None:
    assert groups(ARTICLE, OTHER, ARTICLE) == [[0, 2], [1]]
    assert groups("Bees dance.", "Bees dance.", "Bees sing.") == [[0, 1], [2]]


def test_a_syndicated_article_with_other_furniture_is_a_copy() -> None:
    mirror = f"{prose(5, 90)}\n\nPublished in the Valley Times\n\n{ARTICLE}\n\n{prose(6, 80)}"
    assert groups(f"{prose(7, 60)}\n{ARTICLE}", OTHER, mirror) == [[0, 2], [1]]


def test_case_punctuation_links_and_markup_make_no_difference() -> None:
    words = ARTICLE.upper().split()
    linked = " ".join(f"[{word}](https://mirror.example/{n})" if n % 9 == 0 else word for n, word in enumerate(words))
    bold = " ".join(f"**{word}**" if n % 7 == 0 else word for n, word in enumerate(ARTICLE.split()))
    assert groups(ARTICLE, f"{linked} —", f"# {bold} https://mirror.example/more") == [[0, 1, 2]]


def test_a_lightly_edited_text_is_a_copy_and_a_rewritten_one_is_not() -> None:
    words = ARTICLE.split()
    assert groups(ARTICLE, " ".join("changed" if n % 60 == 0 else word for n, word in enumerate(words))) == [[0, 1]]
    assert groups(ARTICLE, " ".join("changed" if n % 8 == 0 else word for n, word in enumerate(words))) == [[0], [1]]


def test_a_page_that_quotes_a_whole_other_one_is_not_independent_of_it() -> None:
    assert groups(THIRD, f"{prose(8, 700)} {THIRD} {prose(9, 300)}", OTHER) == [[0, 1], [2]]


def test_pages_that_share_a_frame_are_independent() -> None:
    pages = [f"{FRAME} {prose(seed, 200)} {FRAME[:300]}" for seed in range(10, 20)]
    assert independent(pages) == [[number] for number in range(10)]


def test_two_long_pages_that_quote_the_same_notice_are_independent_of_each_other() -> None:
    notice = prose(20, 100)
    one, other = f"{prose(21, 900)} {notice}", f"{notice} {prose(22, 800)}"
    found = groups(one, other, notice)
    assert len(found) == 2
    assert [0, 1] not in found


def test_what_a_collection_holds_stays_apart() -> None:
    collection = f"{ARTICLE}\n\n{OTHER}\n\n{THIRD}"
    found = groups(THIRD, OTHER, collection, ARTICLE)
    assert len(found) == 3, "three texts, of which the collection is no fourth"
    assert all(not {0, 1, 3} <= set(group) for group in found)


def test_sisters_are_no_copies_because_a_collection_holds_both() -> None:
    sisters = [f"{FRAME}\n\n{prose(seed, 60)}" for seed in (30, 31)]
    collection = "\n\n".join([OTHER, *sisters])
    assert groups(*sisters) == [[0], [1]]
    assert groups(*sisters, collection, OTHER) == [[0], [1], [2, 3]]


def test_a_short_text_is_no_copy_of_one_that_has_its_words_by_chance() -> None:
    phrase = " ".join(ARTICLE.split()[: SHINGLE + FEWEST - 2])
    assert groups(ARTICLE, phrase) == [[0], [1]]
    assert groups(ARTICLE, " ".join(ARTICLE.split()[: 2 * (SHINGLE + FEWEST)])) == [[0, 1]]


def test_chinese_and_japanese_are_compared_by_the_character() -> None:
    source = random.Random(1)
    one, other = ("".join(chr(source.randint(0x4E00, 0x9FFF)) for _ in range(400)) for _ in range(2))
    assert groups(one, f"新闻：{one}。", other) == [[0, 1], [2]]


def test_a_large_number_of_texts_is_judged_by_a_sample() -> None:
    texts = [prose(seed, 6000) for seed in range(100, 160)]
    texts += [f"{prose(seed, 300)} {texts[seed]}" for seed in range(0, 60, 7)]
    found = independent(texts)
    copies = {(group[0], group[1]) for group in found if len(group) == 2}
    assert copies == {(seed, 60 + place) for place, seed in enumerate(range(0, 60, 7))}
    assert len(found) == 60


POOL = [prose(seed, 80) for seed in range(200, 204)]
TEXTS = st.lists(st.sampled_from([*POOL, POOL[0] + POOL[1], f"{POOL[2]} {FRAME}", "short", "", "短"]), max_size=8)


@given(TEXTS)
def test_every_text_is_in_one_group_and_groups_are_in_order(texts: list[str]) -> None:
    found = independent(texts)
    assert sorted(place for group in found for place in group) == list(range(len(texts)))
    assert found == sorted(map(sorted, found))


@given(TEXTS, st.randoms())
def test_the_order_of_the_texts_does_not_matter(texts: list[str], source: random.Random) -> None:
    order = list(range(len(texts)))
    source.shuffle(order)
    shuffled = independent([texts[place] for place in order])
    assert _contents(independent(texts), texts) == _contents(shuffled, [texts[place] for place in order])


def _contents(found: Sequence[Sequence[int]], texts: Sequence[str]) -> list[list[str]]:
    return sorted(sorted(texts[place] for place in group) for group in found)


def source(name: str, **more: object) -> Source:
    values = {"title": name, "summary": name, "brief_summary": "", "keywords": [], "url": f"https://{name}/a"}
    return Source.model_validate({**values, "domain": name, **more})


COPY = f"{ARTICLE} More."


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ({"credibility_score": 50, "published": "2020-01-01"}, {"credibility_score": 90}, ARTICLE),
        ({"credibility_score": 90}, {"kind": "file"}, ARTICLE),
        ({"published": "2024-05-01"}, {"published": "2023-12-31"}, ARTICLE),
        ({}, {"published": "2024-05-01"}, ARTICLE),
        ({}, {}, COPY),
        ({"kind": "file", "published": "2019"}, {"kind": "file", "published": "2023"}, COPY),
        ({"published": "2020-01-01"}, {}, ARTICLE),
    ],
    ids=["credible", "own file", "earlier", "dated", "longer", "longer of dated files", "named by the copy"],
)
def test_the_primary_source_stands_first(first: dict[str, object], second: dict[str, object], text: str) -> None:
    mirror = f"{ARTICLE} By origin.example." if first and not second else ARTICLE
    sources = [source("mirror.example", **first), source("other.example"), source("origin.example", **second)]
    assert originals(sources, [mirror, OTHER, text]) == [[2, 0], [1]]


def test_among_equals_the_first_is_primary() -> None:
    sources = [source("a.example"), source("b.example")]
    assert originals(sources, [ARTICLE, ARTICLE]) == [[0, 1]]
