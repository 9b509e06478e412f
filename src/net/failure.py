"""What went wrong with a connection, in words."""

import errno
from typing import TYPE_CHECKING, Final

from ..kernel.errors import AddressError, FetchDeadlineError, FetchError, UnreachableError
from ..kernel.notice import Notice, Told

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


def explained(error: "ClientError | OSError", where: str, connect_deadline: float, read_deadline: float) -> FetchError:
    """Return the error of our tree for one of aiohttp's."""
    import aiohttp

    match error:
        case aiohttp.ConnectionTimeoutError():
            return FetchDeadlineError(
                Notice("no_connection", seconds=connect_deadline), where=where, fault="connection"
            )
        case aiohttp.SocketTimeoutError():
            return FetchDeadlineError(Notice("server_silent", seconds=read_deadline), where=where)
        case aiohttp.ClientHttpProxyError():
            what = f"The proxy answered {error.status} {error.message}".rstrip()
            return UnreachableError(what, where=where, fault="proxy")
        case aiohttp.ClientConnectorError():
            return _unconnected(error, where)
        case aiohttp.ClientPayloadError():
            return UnreachableError("The body broke off", where=where)
        case aiohttp.ClientResponseError():
            return UnreachableError("The server's answer is not HTTP", where=where)
        case OSError():
            return UnreachableError(_reason(error), where=where)
        case _:
            return UnreachableError(Notice("connection_broken"), where=where)


def _unconnected(error: "ClientConnectorError", where: str) -> FetchError:
    import aiohttp

    match error:
        case aiohttp.ClientConnectorCertificateError():
            return _untrusted(error.certificate_error, where)
        case aiohttp.ClientSSLError():
            return UnreachableError(f"TLS with the server failed: {_said(error.os_error)}", where=where)
        case aiohttp.ClientProxyConnectionError():
            remedy = 'Check the setting "network.proxy".'
            what = f"No connection to the proxy: {_said(error.os_error)}"
            return UnreachableError(what, where=where, remedy=remedy, fault="proxy")
    cause = error.os_error.__cause__
    if isinstance(cause, AddressError):
        return AddressError(cause.what, where=where, remedy=cause.remedy)
    return UnreachableError(_reason(error.os_error), where=where, fault="connection")


def _untrusted(error: Exception, where: str) -> UnreachableError:
    reason = getattr(error, "verify_message", "") or str(error)
    return UnreachableError(
        f"The server's certificate is not trusted: {reason}",
        where=where,
        remedy='If its authority is your own, give its certificate as the setting "network.ca_file".',
        fault="certificate",
    )


def _reason(error: OSError) -> Told:
    known = _REASONS.get(error.errno or 0)
    return known or f"The connection failed: {_said(error)}"


def _said(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
