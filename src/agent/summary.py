"""Summarises the passages of one source with a model."""

from collections.abc import Sequence

from ..kernel.errors import ModelError, StoppedError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Passage
from ..model import Model
from ..prompts import quoted, render


async def summary(
    run: Run, model: Model | None, settings: Settings, *, who: str, task: str, title: str, passages: Sequence[Passage]
) -> str:
    """Return the text of the passages, or a model's summary of them if there is a model and the settings ask for it.

    If the model fails, the failure is reported on the run under `who` and the text of the passages is returned.
    """
    text = "\n\n".join(passage.text for passage in passages)
    if model is None or not settings.summarises:
        return text
    prompt = render(
        "summary",
        settings.models.prompts,
        task=task,
        today=run.today.isoformat(),
        language=settings.language,
        passages=quoted("passages", text, title),
    )
    try:
        return await model.complete(run, prompt, role="summary")
    except (ModelError, StoppedError) as error:
        run.fail(who, Notice("of_summary", title=title), error.message)
        return text
