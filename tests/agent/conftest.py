"""Models that talk to the loopback server."""

from loopback import model_at as model_at
from loopback import provider as provider
