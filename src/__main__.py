"""Runs the command `spyglass` for `python -m spyglass`."""

from .cli import main

main()
