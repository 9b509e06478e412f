"""`python -m spyglass` is the command `spyglass`."""

from .cli import main

main()
