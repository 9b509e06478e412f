"""Loads what most commands need, in the process of which each command is a fork: packages, and the local models.

A fork has none of its parent's threads: this leaves none behind, and `tokenizers` begins none.
"""

import asyncio
import importlib
import os

from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.cross_encoder import cross_encoder
from spyglass.rag.embed import static_embedder
from spyglass.rag.late_interaction import late_interaction
from spyglass.rag.local_comparer import local_comparer

NEEDED = ["chromadb", *(f"spyglass.{name}" for name in ("agent", "cli.app", "cli.doctor", "cli.report", "cli.verify"))]


async def _models() -> None:
    for model in (cross_encoder(is_fitted=True), cross_encoder(is_fitted=False), late_interaction(), local_comparer()):
        await model.load()
    async with Run("", Settings(), journal=Journal()) as run:
        await static_embedder().embed(run, ["What is known?"])


os.environ["TOKENIZERS_PARALLELISM"] = "false"
for name in NEEDED:
    importlib.import_module(name)
asyncio.run(_models())
