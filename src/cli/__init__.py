"""The command line."""

import gc

gc.set_threshold(
    50_000, 20, 100
)  # reading the modules in makes nothing but what stays, and looking through it takes 0.2 s

from .app import main  # noqa: E402 the collector is told before anything is read in

__all__ = ["main"]
