"""An optimized model is kept for the next process: the same scores, and no run fails for want of it."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spyglass.rag.cross_encoder import MODEL, CrossEncoder
from spyglass.rag.kept_model import UNUSED, session_of

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


def test_what_is_kept_has_the_same_scores_is_not_made_again_and_is_for_the_user_alone(models: Path) -> None:
    first = session_of("1", MODEL.content)
    [file] = models.iterdir()
    assert (models.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    assert score(session_of("1", made_anew)) == score(first)
    assert [*models.iterdir()] == [file]


def test_other_weights_are_another_model(models: Path) -> None:
    scores = []
    for is_fitted, kept in ((True, 1), (False, 2), (True, 2), (False, 2)):
        one = CrossEncoder(is_fitted=is_fitted)
        scores.append(one.score("Who built it?", "Ada built it."))
        assert len([*models.iterdir()]) == kept
    assert scores[:2] == scores[2:]
    assert scores[0] != scores[1]


def test_what_has_not_been_used_for_long_is_removed(models: Path) -> None:
    session_of("1", MODEL.content)
    [file] = models.iterdir()
    unfinished = file.with_name(f"{file.name}.killed")
    unfinished.touch()
    for old in (file, unfinished):
        os.utime(old, (0, old.stat().st_mtime - UNUSED - 60))
    session_of("1", made_anew)
    session_of("2", MODEL.content)
    assert file in models.iterdir(), "it was used just now"
    assert unfinished not in models.iterdir()
    os.utime(file, (0, file.stat().st_mtime - UNUSED - 60))
    session_of("3", MODEL.content)
    assert len([*models.iterdir()]) == 2
    with pytest.raises(AssertionError, match=TOLD):
        session_of("1", made_anew)


def test_several_that_keep_it_at_once_all_have_it(models: Path) -> None:
    with ThreadPoolExecutor() as threads:
        sessions = [*threads.map(lambda _: session_of("1", MODEL.content), range(4))]
    assert len({score(one) for one in sessions}) == 1
    assert len([*models.iterdir()]) == 1


@pytest.mark.parametrize("content", [b"", b"no model", None])
def test_a_damaged_file_is_replaced(models: Path, content: bytes | None) -> None:
    whole = score(session_of("1", MODEL.content))
    [file] = models.iterdir()
    file.write_bytes(file.read_bytes()[:1_000_000] if content is None else content)
    assert score(session_of("1", MODEL.content)) == whole
    assert score(session_of("1", made_anew)) == whole


@pytest.mark.parametrize("cache", ["a file", "n" * 300])
def test_where_nothing_can_be_kept_a_model_is_loaded_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / cache))
    assert np.isfinite(score(session_of("1", MODEL.content)))


def test_a_model_that_is_none_is_told_and_not_kept(models: Path) -> None:
    with pytest.raises(Exception, match="protobuf parsing failed"):
        session_of("1", lambda: b"no model")
    assert not [*models.iterdir()]
