"""An optimized model is kept for the next process: the same scores, and no run fails for want of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spyglass.rag.cross_encoder import MODEL
from spyglass.rag.kept_model import session_of

TOLD = "it was made"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "spyglass" / "models"


def made_anew() -> bytes:
    raise AssertionError(TOLD)


def score(session: Any) -> float:
    ids = np.array([[101, 2040, 102, 2054, 102]], np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return float(session.run(None, feed)[0][0][0])


def test_what_is_kept_has_the_same_scores_and_is_not_made_again(models: Path) -> None:
    first = session_of("reader", "1", MODEL.content)
    [file] = models.iterdir()
    assert models.stat().st_mode & 0o777 == 0o700
    assert score(session_of("reader", "1", made_anew)) == score(first)
    assert [*models.iterdir()] == [file]


def test_the_last_version_of_each_kind_is_kept(models: Path) -> None:
    for kind, version in (("reader", "1"), ("embedder", "1"), ("reader", "2")):
        session_of(kind, version, MODEL.content)
    assert len([*models.iterdir()]) == 2
    session_of("embedder", "1", made_anew)
    session_of("reader", "2", made_anew)
    with pytest.raises(AssertionError, match=TOLD):
        session_of("reader", "1", made_anew)


@pytest.mark.parametrize("content", [b"", b"no model", MODEL.content()[:1_000_000]])
def test_a_damaged_file_is_replaced(models: Path, content: bytes) -> None:
    whole = score(session_of("reader", "1", MODEL.content))
    [file] = models.iterdir()
    file.write_bytes(content)
    assert score(session_of("reader", "1", MODEL.content)) == whole
    assert score(session_of("reader", "1", made_anew)) == whole


def test_where_nothing_can_be_kept_a_model_is_loaded_all_the_same(models: Path) -> None:
    models.parent.write_text("a file where the folder should be")
    assert np.isfinite(score(session_of("reader", "1", MODEL.content)))


def test_a_model_that_is_none_is_told_and_not_kept(models: Path) -> None:
    with pytest.raises(Exception, match="protobuf parsing failed"):
        session_of("reader", "1", lambda: b"no model")
    assert not [*models.iterdir()]
