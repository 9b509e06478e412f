"""Validation of the settings for web search and web pages, before a run spends anything."""

from ..kernel.errors import AddressError, SettingsError
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..net import Guard
from ..net.session import open_tls, read_proxy
from .candidates import Selection
from .credibility import credibility_of
from .engines import chain_of


async def check_settings(settings: Settings) -> None:
    """Raise a UsageError for the first invalid setting of the web, with which nothing would be found.

    Inside an effect the error would be recorded, and the run would continue without the web.
    """
    Selection.of(settings)
    credibility_of("", settings=settings)
    guard = Guard(settings)
    for url in [*settings.urls, *settings.sites]:
        try:
            guard.check_url(url)
        except AddressError as error:
            raise SettingsError(error.what, where=error.where or "urls", remedy=error.remedy) from error
    read_proxy(settings.network.proxy)
    chain_of(settings)
    if settings.network.ca_file is not None:
        await in_thread(open_tls, settings.network.ca_file)
