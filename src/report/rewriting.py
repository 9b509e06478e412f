"""Asks the model to write anew, from their evidence, the sentences that say something else than their sources."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from ..kernel.language import language_name, resolved
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..model.structured import structured
from ..prompts import quoted, render
from ..tree import Unit
from .source_index import CitedPassage

MOST_REWRITTEN: Final = 12
"""Sentences that are written anew in one question; further ones are removed."""


class Rewritten(BaseModel):
    """A sentence as the model writes it now; empty when the passages say nothing on its subject."""

    id: str
    text: str = ""


class Rewriting(BaseModel):
    """A model's answer."""

    sentences: list[Rewritten] = []


async def rewritten(
    model: Model, run: Run, settings: Settings, failed: Sequence[tuple[Unit, Sequence[CitedPassage]]]
) -> list[str]:
    """Return the new text of each of the first MOST_REWRITTEN sentences, "" where the model gave none.

    Raises ModelError.
    """
    asked = {f"c{number}": pair for number, pair in enumerate(failed[:MOST_REWRITTEN], start=1)}
    blocks = "\n\n".join(_block(short_id, sentence, passages) for short_id, (sentence, passages) in asked.items())
    language = resolved(settings.language, run.question)
    name = "the language of the sentence" if language == "auto" else language_name(language)
    prompt = render("rewriting", settings.models.prompts, sentences=blocks, language=name)
    answer = await structured(model, run, prompt, Rewriting, role="writer", default=Rewriting(), attempts=1)
    given = {one.id: one.text.strip() for one in answer.sentences}
    return [given.get(short_id, "") for short_id in asked]


def _block(short_id: str, sentence: Unit, passages: Sequence[CitedPassage]) -> str:
    evidence = (quoted(passage.label, passage.passage.text, passage.source.title) for passage in passages)
    return "\n".join([quoted(short_id, sentence.text, "sentence"), *evidence])
