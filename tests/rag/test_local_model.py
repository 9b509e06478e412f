"""The files of local models are those that they should be."""

import pytest

from spyglass.kernel.errors import EmbedderError
from spyglass.rag.local_model import LocalModel, PackagedFile


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        (PackagedFile("spyglass_of_old", "model.onnx", ""), "the package spyglass_of_old is missing"),
        (PackagedFile("spyglass", "model.onnx", ""), "cannot be read"),
        (PackagedFile("spyglass", "py.typed", "another"), "not the expected version"),
    ],
    ids=["no package", "no file", "another file"],
)
async def test_a_local_model_that_is_not_what_it_should_be_is_refused(file: PackagedFile, problem: str) -> None:
    with pytest.raises(EmbedderError, match=problem):
        await LocalModel(file, file).load()
