"""Conversion of connection errors of aiohttp and the system to a FetchError with a readable reason."""

import errno
from typing import TYPE_CHECKING, Final

from ..kernel.errors import AddressError, FetchDeadlineError, FetchError, UnreachableError
from ..kernel.notice import Notice

if TYPE_CHECKING:
    from aiohttp import ClientConnectorError, ClientError

_REASONS: Final = {
    errno.ECONNREFUSED: Notice("connection_refused"),
    errno.EHOSTUNREACH: Notice("no_way_there"),
    errno.ENETUNREACH: Notice("no_way_there"),
    errno.ETIMEDOUT: Notice("server_does_not_answer"),
    errno.ECONNRESET: Notice("connection_broken"),
    errno.EPIPE: Notice("connection_broken"),
}


def as_fetch_error(
    error: "ClientError | OSError", where: str, connect_deadline: float, read_deadline: float
) -> FetchError:
    """Return the FetchError for an error of aiohttp."""
    import aiohttp

    match error:
        case aiohttp.ConnectionTimeoutError():
            return FetchDeadlineError(
                Notice("no_connection", seconds=connect_deadline), where=where, fault="connection"
            )
        case aiohttp.SocketTimeoutError():
            return FetchDeadlineError(Notice("server_silent", seconds=read_deadline), where=where)
        case aiohttp.ClientHttpProxyError():
            notice = Notice("proxy_answered", said=f"{error.status} {error.message}".rstrip())
            return UnreachableError(notice, where=where, fault="proxy")
        case aiohttp.ClientConnectorError():
            return _connection_error(error, where)
        case aiohttp.ClientPayloadError():
            return UnreachableError(Notice("body_broke_off"), where=where)
        case aiohttp.ClientResponseError():
            return UnreachableError(Notice("answer_not_http"), where=where)
        case OSError():
            return UnreachableError(_reason(error), where=where)
        case _:
            return UnreachableError(Notice("connection_broken"), where=where)


def _connection_error(error: "ClientConnectorError", where: str) -> FetchError:
    import aiohttp

    match error:
        case aiohttp.ClientConnectorCertificateError():
            return _certificate_error(error.certificate_error, where)
        case aiohttp.ClientSSLError():
            return UnreachableError(Notice("tls_failed", why=_error_text(error.os_error)), where=where)
        case aiohttp.ClientProxyConnectionError():
            remedy = Notice("check_setting", setting="network.proxy")
            notice = Notice("no_connection_to_proxy", why=_error_text(error.os_error))
            return UnreachableError(notice, where=where, remedy=remedy, fault="proxy")
    cause = error.os_error.__cause__
    if isinstance(cause, AddressError):
        return cause.as_kind(AddressError, where)
    return UnreachableError(_reason(error.os_error), where=where, fault="connection")


def _certificate_error(error: Exception, where: str) -> UnreachableError:
    reason = getattr(error, "verify_message", "") or str(error)
    remedy = Notice("name_own_authority", setting="network.ca_file")
    return UnreachableError(
        Notice("certificate_untrusted", why=reason), where=where, remedy=remedy, fault="certificate"
    )


def _reason(error: OSError) -> Notice:
    return _REASONS.get(error.errno or 0) or Notice("connection_failed", why=_error_text(error))


def _error_text(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
