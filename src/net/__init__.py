"""HTTP connections, each checked by a guard: private networks are reached only if the user allows it.

The packages that search and fetch also import the modules `filter_proxy`, `host`, `outage`, `session` and `target`.
"""

from .client import Client, Response, client_of
from .filter_proxy import FilterProxy, Visit
from .guard import Guard
from .outage import outage_of

__all__ = ["Client", "FilterProxy", "Guard", "Response", "Visit", "client_of", "outage_of"]
