"""Access to a key in AWS Secrets Manager."""

import asyncio
import json

from ..kernel.errors import SearchBrokenError, SearchDeadlineError, SearchError, SearchKeyError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..kernel.thread import in_daemon

WHO = "AWS Secrets Manager"
NAME = "TAVILY_API_KEY"


async def read_secret(settings: Settings) -> str:
    """Return the TAVILY_API_KEY of the secret that `tavily_api_key_secret_arn` names, in the region `aws_region`.

    Credentials are those of the AWS SDK. Takes at most half of `search.deadline`. Raises
    SearchKeyError: no boto3, no access, no such secret or key in it; SearchBrokenError and SearchDeadlineError.
    """
    seconds = settings.search.deadline / 2
    try:
        async with asyncio.timeout(seconds):
            # The SDK may wait for minutes, and a pool's thread would delay the end of the process.
            return await in_daemon(lambda: _read(settings), "spyglass-secret")
    except TimeoutError as error:
        raise SearchDeadlineError(Notice("engine_late", engine=WHO, seconds=seconds)) from error


def _read(settings: Settings) -> str:
    try:
        import boto3
        from botocore import exceptions as aws
    except ImportError as error:
        notice = Notice("package_needed", who=WHO, package="boto3")
        raise SearchKeyError(notice, remedy=Notice("install_it", package="spyglass[aws]")) from error
    try:
        store = boto3.client("secretsmanager", region_name=settings.aws_region)
        response = store.get_secret_value(SecretId=settings.tavily_api_key_secret_arn)
        named = json.loads(response["SecretString"]).items()
        return {name: value for name, value in named if isinstance(value, str) and value}[NAME]
    except aws.ClientError as error:
        raise _service_error(error.response.get("Error", {}).get("Code", "?"), settings) from error
    except (aws.HTTPClientError, aws.ConnectionError) as error:
        raise SearchBrokenError(_unreachable(error)) from error
    except aws.BotoCoreError as error:
        raise SearchKeyError(_unreachable(error), remedy=Notice("check_aws")) from error
    except (ValueError, TypeError, AttributeError, KeyError):  # not chained: these quote the secret
        remedy = Notice("it_must_be_json", form=json.dumps({NAME: "…"}, ensure_ascii=False))
        raise SearchKeyError(Notice("secret_without_key", who=WHO, name=NAME), remedy=remedy) from None


def _unreachable(error: Exception) -> Notice:
    return Notice("engine_unreachable", engine=WHO, why=type(error).__name__)


def _service_error(code: str, settings: Settings) -> SearchError:
    notice = Notice("engine_status", engine=WHO, status=code)
    if code in ("InternalServiceError", "InternalServiceErrorException", "ThrottlingException", "ServiceUnavailable"):
        return SearchBrokenError(notice)
    where = settings.tavily_api_key_secret_arn or ""
    return SearchKeyError(notice, where=where, remedy=Notice("check_aws"))
