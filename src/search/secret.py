"""A key that AWS Secrets Manager keeps."""

import asyncio
import json

from ..kernel.errors import SearchBrokenError, SearchDeadlineError, SearchError, SearchKeyError
from ..kernel.settings import Settings
from ..kernel.thread import in_daemon

WHO = "AWS Secrets Manager"


async def read_secret(settings: Settings) -> str:
    """Return the TAVILY_API_KEY of the secret that `tavily_api_key_secret_arn` names, in the region `aws_region`.

    Credentials are those of the AWS SDK. Takes at most half of `search.deadline`. Raises
    SearchKeyError: no boto3, no access, no such secret or key in it; SearchBrokenError and SearchDeadlineError.
    """
    seconds = settings.search.deadline / 2
    try:
        async with asyncio.timeout(seconds):
            # The SDK has waits of its own of minutes, and a pool's thread would hold up the end of the process.
            return await in_daemon(lambda: _read(settings), "spyglass-secret")
    except TimeoutError as error:
        raise SearchDeadlineError(f"{WHO} did not answer in {seconds:g} s") from error


def _read(settings: Settings) -> str:
    try:
        import boto3
        from botocore import exceptions as aws
    except ImportError as error:
        raise SearchKeyError(f"{WHO} needs boto3", remedy="Install spyglass[aws].") from error
    try:
        store = boto3.client("secretsmanager", region_name=settings.aws_region)
        kept = store.get_secret_value(SecretId=settings.tavily_api_key_secret_arn)
        named = json.loads(kept["SecretString"]).items()
        return {name: value for name, value in named if isinstance(value, str) and value}["TAVILY_API_KEY"]
    except aws.ClientError as error:
        raise _told(error.response.get("Error", {}).get("Code", "an error"), settings) from error
    except (aws.HTTPClientError, aws.ConnectionError) as error:
        raise SearchBrokenError(f"{WHO} cannot be reached: {type(error).__name__}") from error
    except aws.BotoCoreError as error:
        remedy = "Check aws_region and your AWS credentials."
        raise SearchKeyError(f"{WHO} cannot be asked: {type(error).__name__}", remedy=remedy) from error
    except (ValueError, TypeError, AttributeError, KeyError):  # not chained: these quote what they could not read
        raise SearchKeyError(
            f"The secret in {WHO} holds no TAVILY_API_KEY", remedy='It must be JSON: {"TAVILY_API_KEY": "…"}.'
        ) from None


def _told(code: str, settings: Settings) -> SearchError:
    if code in ("InternalServiceError", "InternalServiceErrorException", "ThrottlingException", "ServiceUnavailable"):
        return SearchBrokenError(f"{WHO} answers {code}")
    where = settings.tavily_api_key_secret_arn or ""
    return SearchKeyError(
        f"{WHO} answers {code}", where=where, remedy="Check the ARN, aws_region and the rights to it."
    )
