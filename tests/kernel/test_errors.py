"""Errors say what, where and how to mend it, and come back from the journal as they were."""

import pytest

from spyglass.kernel import errors
from spyglass.kernel.errors import EncryptedError, ModelBusyError, RunError, SpyglassError, from_record
from spyglass.kernel.notice import Notice, text_of


def every_error() -> list[type[SpyglassError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SpyglassError)]


def test_every_error_comes_back_from_its_record() -> None:
    for kind in every_error():
        error = kind("It broke", where="here", remedy="Mend it.", number=3)
        again = from_record(error.to_record())
        assert type(again) is kind
        assert (str(again), again.details) == (str(error), {"number": 3}), kind


def test_a_type_that_this_version_lacks_becomes_a_run_error() -> None:
    record = {**ModelBusyError("It broke").to_record(), "type": "LaterError"}
    assert type(from_record(record)) is RunError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SpyglassError("It broke"), "It broke."),
        (SpyglassError("It broke", where="a.txt"), "It broke (a.txt)."),
        (SpyglassError("It broke", remedy="Mend it."), "It broke. Mend it."),
        (SpyglassError("Broken!", where="a.txt", remedy="Mend it."), "Broken! (a.txt) Mend it."),
    ],
)
def test_an_error_reads_as_sentences(error: SpyglassError, text: str) -> None:
    assert str(error) == text


def test_an_error_and_its_remedy_are_told_in_a_language_also_after_a_record() -> None:
    error = EncryptedError(Notice("file_locked"), where="a.pdf", remedy=Notice("unlock_it"))
    for one in (error, from_record(error.to_record())):
        assert str(one) == "It needs a password (a.pdf). Save it without a password."
        assert one.remedy == "Save it without a password."
        assert text_of(one.message, "de") == "Sie verlangt ein Passwort. Speichern Sie sie ohne Passwort."
        assert text_of(one.message, "ja") == "パスワードが必要です。パスワードなしで保存してください。"
