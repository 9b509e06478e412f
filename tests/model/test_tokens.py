"""The estimate of tokens errs on the high side, the lower bound stays below the truth, and both take linear time."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import spyglass
from spyglass.model.tokens import count_tokens, fit, least_tokens
from spyglass.rag.cross_encoder import TOKENIZER

TEXTS = {
    "code": Path(spyglass.__file__).parent.joinpath("kernel", "run.py").read_text(encoding="utf-8"),
    "prose": " ".join(
        line.strip(' "')
        for line in Path(spyglass.__file__).parent.joinpath("kernel", "errors.py").read_text("utf-8").splitlines()
    ),
    "json": str([{"id": number, "name": f"row {number}", "value": number / 7} for number in range(200)]),
    "table": "\n".join(f"| {number} | {number * 37 % 101} | yes |" for number in range(300)),
    "Chinese": "望远镜是一种利用透镜或反射镜观测远处物体的光学仪器。" * 30,
    "Russian": "Подзорная труба — это небольшой телескоп для наблюдения удалённых предметов. " * 20,
    "German": "Ein Fernrohr ist ein optisches Gerät zur Beobachtung weit entfernter Gegenstände. " * 20,
}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """A real one that a dependency ships: BERT's word pieces, made for English."""
    made = Tokenizer.from_str(TOKENIZER.content().decode())
    made.no_truncation()
    made.no_padding()
    return made


@pytest.mark.parametrize("kind", ["code", "prose", "json", "Chinese"])
def test_the_estimate_is_near_a_real_tokenizer_and_above_it(kind: str, tokenizer: Tokenizer) -> None:
    truth = len(tokenizer.encode(TEXTS[kind], add_special_tokens=False).ids)
    assert 0.98 * truth <= count_tokens(TEXTS[kind]) <= 1.6 * truth


def test_the_lower_bound_is_below_a_real_tokenizer(tokenizer: Tokenizer, subtests: pytest.Subtests) -> None:
    for kind in TEXTS:
        with subtests.test(kind=kind):
            truth = len(tokenizer.encode(TEXTS[kind], add_special_tokens=False).ids)
            assert 0.1 * truth < least_tokens(TEXTS[kind]) < truth


@given(st.text())
def test_the_bound_is_never_above_the_estimate(text: str) -> None:
    assert least_tokens(text) <= count_tokens(text) + 1


TRICKY = st.text(alphabet=" \n_-(aA7é望Я\u0301", max_size=12) | st.text()


@given(st.lists(TRICKY, max_size=6))
def test_the_parts_have_no_fewer_tokens_than_the_whole(parts: list[str]) -> None:
    assert count_tokens("".join(parts)) <= sum(map(count_tokens, parts))


@given(st.text(), st.text())
def test_more_text_never_has_much_fewer_tokens(text: str, more: str) -> None:
    assert count_tokens(text + more) >= count_tokens(text) - 2


def test_nothing_has_no_tokens() -> None:
    assert count_tokens("") == least_tokens("") == 0


def test_a_long_run_of_one_thing_is_counted_to_its_end(subtests: pytest.Subtests) -> None:
    cases = ["word ", "a", " ", "\n", "(", "_", "7", "望", "é", "😀", "Aa", "\u0301"]
    for unit in cases:
        with subtests.test(unit=unit):
            text = unit * (500_000 // len(unit))
            assert 0 <= least_tokens(text) <= count_tokens(text) <= 4 * len(text)


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(-5, 100))
def test_what_fits_fits_and_the_next_block_would_not(blocks: list[str], room: int) -> None:
    number = fit(blocks, room)
    used = sum(map(count_tokens, blocks[:number]))
    assert number == 0 or used <= room
    assert number == len(blocks) or used + count_tokens(blocks[number]) > room


def test_a_bigger_room_fits_no_fewer() -> None:
    blocks = [f"passage {number} of some words" for number in range(20)]
    numbers = [fit(blocks, room) for room in range(0, 300, 10)]
    assert all(first <= second for first, second in pairwise(numbers))
    assert numbers[0] == 0
    assert numbers[-1] == 20
