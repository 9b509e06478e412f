"""An address is shown without its secrets, and the proxy of the environment is not the way to this machine."""

import pytest

from spyglass.model.address import is_loopback, transport, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://user:pass@host:8/v1?key=1#x", "https://host:8/v1"),
        ("http://[::1]:8/", "http://[::1]:8/"),
        ("", ""),
    ],
)
def test_a_password_or_a_query_is_not_shown(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434", "http://127.9.9.9", "http://localhost/v1", "http://[::1]:8"])
def test_this_machine_is_known(url: str) -> None:
    assert is_loopback(url)
    assert transport(url, 1.0)["trust_env"] is False


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "http://10.0.0.1", "http://localhost.evil.com", "x", ""])
def test_another_machine_is_told_from_it(url: str) -> None:
    assert not is_loopback(url)
    assert transport(url, 1.0)["trust_env"] is True


def test_certificates_are_checked_wherever_there_are_some() -> None:
    assert transport("https://127.0.0.1", 1.0)["verify"] is True
    assert transport("http://127.0.0.1", 1.0)["verify"] is False
    assert transport("https://api.openai.com/v1", 1.0)["follow_redirects"] is False
