"""Tavily's key may lie in AWS Secrets Manager."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from loopback import ARN, SearchServer, SecretServer
from loopback.search import SECRET
from search.asking import found, run_with
from spyglass.kernel.errors import NoSearchError, SearchBrokenError, SearchDeadlineError, SearchError, SearchKeyError
from spyglass.kernel.settings import Settings
from spyglass.search.secret import read_secret

AT: dict[str, Any] = {"tavily_api_key_secret_arn": ARN, "aws_region": "eu-central-1"}


@pytest.fixture(scope="module", autouse=True)
def _sdk_out_of_the_loops_way() -> None:
    """The SDK's first import takes a while, and a thread that imports holds the loop's lock."""
    import boto3

    boto3.client("secretsmanager", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x")


async def error_of(**settings: Any) -> SearchError:
    with pytest.raises(SearchError) as caught:
        await read_secret(Settings(**{**AT, **settings}))
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None or SECRET not in repr(caught.value.__cause__)
    return caught.value


async def test_the_secrets_key_is_read_once_a_run_and_sent_to_tavily(
    search_server: SearchServer, secret_server: SecretServer, tmp_path: Path
) -> None:
    secret_server.secrets[ARN] = json.dumps({"TAVILY_API_KEY": SECRET, "OTHER": "x"})
    without = {**AT, "tavily_api_key": None}
    async with run_with(search_server, tmp_path, "tavily", **without) as run:
        await asyncio.gather(*(found(run, text) for text in ("one", "two", "three")))
        shown = json.dumps(run.journal.effects(), default=str)
    assert {asked.headers["authorization"] for asked in search_server.requests} == {f"Bearer {SECRET}"}
    assert len(secret_server.requests) == 1
    assert "AWS4-HMAC-SHA256" in secret_server.requests[0]["authorization"]
    assert "sk-search" not in shown


async def test_a_key_of_the_settings_goes_before_the_secret(
    search_server: SearchServer, secret_server: SecretServer, tmp_path: Path
) -> None:
    async with run_with(search_server, tmp_path, "tavily", **AT) as run:
        await found(run)
    assert secret_server.requests == []


@pytest.mark.parametrize(
    "secret",
    ["{}", "no json", '["a"]', '{"tavily_api_key": "sk-search"}', '{"TAVILY_API_KEY": ""}', '{"TAVILY_API_KEY": 7}'],
)
async def test_a_secret_of_another_shape_says_which_is_needed(secret_server: SecretServer, secret: str) -> None:
    secret_server.secrets[ARN] = secret
    error = await error_of()
    assert isinstance(error, SearchKeyError)
    assert '{"TAVILY_API_KEY": "…"}' in error.remedy
    assert "sk-search" not in str(error)


@pytest.mark.parametrize("code", ["ResourceNotFoundException", "AccessDeniedException", "DecryptionFailure"])
async def test_no_secret_and_no_right_to_it_are_the_users_to_mend(secret_server: SecretServer, code: str) -> None:
    secret_server.error = code
    error = await error_of()
    assert isinstance(error, SearchKeyError)
    assert code in error.what
    assert error.where == ARN


async def test_a_silent_service_ends_at_the_deadline(
    search_server: SearchServer, secret_server: SecretServer, tmp_path: Path
) -> None:
    secret_server.hangs = True
    async with asyncio.timeout(45):  # the SDK waits for a minute
        assert isinstance(await error_of(search__deadline=1.0), SearchDeadlineError)
    async with run_with(search_server, tmp_path, "tavily", **AT, tavily_api_key=None, search__deadline=6.0) as run:
        with pytest.raises(NoSearchError, match="AWS Secrets Manager did not answer"):
            await found(run)


async def test_without_a_region_it_says_so(secret_server: SecretServer) -> None:
    error = await error_of(aws_region=None)
    assert isinstance(error, SearchKeyError)
    assert "NoRegionError" in error.what
    assert "aws_region" in error.remedy


async def test_no_connection_may_pass(secret_server: SecretServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert isinstance(await error_of(), SearchBrokenError)
