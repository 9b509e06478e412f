"""A model's prose loses what its instructions say and what it says over and over, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import EmptyAnswerError, OutputCutError
from spyglass.kernel.run import Run
from spyglass.model.exchange import Reply
from spyglass.model.model import Prompt
from spyglass.model.own_words import own_words
from spyglass.model.scripted import Scripted
from spyglass.prompts import quoted

SYSTEM = "You write a section.\n- Write only what the passages say. Add nothing from memory."
PASSAGE = "The harbour was built in 1871 by two engineers."
USER = f"Question: When was it built?\n\nSection: History\n\n{quoted('S1.1', PASSAGE)}\n\nWrite the section now."
BUILT = "The harbour was built in 1871 [S1.1]."
DEEP = "Its basin is seven metres deep [S1.1]."


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"{BUILT} {DEEP}", f"{BUILT} {DEEP}"),
        (" ".join([BUILT] * 40), BUILT),
        (f"{BUILT} {DEEP} {BUILT.replace('S1.1', 'S1.2')} {DEEP}", f"{BUILT} {DEEP}"),
        ("\n".join([f"- {BUILT}", f"- {DEEP}"] * 20), f"- {BUILT}\n- {DEEP}"),
        (f"{BUILT}\n\n{SYSTEM}\n\n{DEEP}", f"{BUILT}\n\n\n{DEEP}"),
        (f"Write only what the passages say. {BUILT}", BUILT),
        (USER, PASSAGE),
        (SYSTEM, ""),
        ("[S1.1] [S1.2]", ""),
        ("[none]", "[none]"),
        ("Yes. It is. Yes. It is.", "Yes. It is. Yes. It is."),
        ("## A heading of length\n\n## A heading of length", "## A heading of length\n\n## A heading of length"),
        ("| a long cell of a table |\n" * 2 + "end", "| a long cell of a table |\n" * 2 + "end"),
        ("```\nprint('the same line again')\nprint('the same line again')\n```",) * 2,
        ("It was -5 degrees in January [S1.1]. It was 5 degrees in January [S1.1].",) * 2,
    ],
)
def test_what_is_its_own_is_left(said: str, left: str) -> None:
    assert own_words(said, SYSTEM, USER)[0] == left


def test_a_prompt_without_quoted_blocks_may_be_said_back() -> None:
    text = "The harbour was built in 1871. It is deep."
    assert own_words(text, "Say the first sentence of this.\nyes", f"Here it is:\n{text}")[0] == text
    assert own_words("yes", "Answer with one word:\nyes\nno", "Is it deep?")[0] == "yes"
    assert own_words("[1, 2]", SYSTEM, "Which?")[0] == "[1, 2]"


@given(st.text(alphabet=" ab.\n-[S1]`|#", max_size=80))
def test_any_text_is_left_no_longer_than_it_was(text: str) -> None:
    assert len(own_words(text, SYSTEM, USER)[0]) <= len(text)


async def test_a_loop_that_hits_the_limit_is_no_cut_answer(run: Run) -> None:
    loop = f"{BUILT} {DEEP} " + f"{DEEP} " * 30
    model = Scripted([Reply(text=f"{loop}Its basin is seven met", finish="length"), Reply(text=BUILT, finish="length")])
    assert await model.complete(run, Prompt(SYSTEM, USER), role="writer") == f"{BUILT} {DEEP}"
    with pytest.raises(OutputCutError):
        await model.complete(run, Prompt(SYSTEM, "another"), role="writer")


async def test_instructions_said_back_are_no_answer(run: Run) -> None:
    with pytest.raises(EmptyAnswerError, match="only repeated the prompt"):
        await Scripted([SYSTEM]).complete(run, Prompt(SYSTEM, USER), role="writer")


@pytest.mark.parametrize("part", [" ", "[", "a. ", "<source id=", "\n- ", "It was built again. "])
def test_a_long_text_is_read_to_its_end(part: str) -> None:
    assert len(own_words(f"Begin {part * 20_000} end", SYSTEM, USER)[0]) <= 20_000 * len(part) + 10
