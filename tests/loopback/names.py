"""A name service in the test's own hands: it answers what it is told, in order, and counts the questions."""

import socket
from collections import Counter
from collections.abc import Sequence

from spyglass.kernel.errors import UnreachableError


class Names:
    """Answers for each name with lists of addresses, one list a question, the last one again and again."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.lookups: Counter[str] = Counter()
        self._answers: dict[str, list[Sequence[str]]] = {}
        for name, lists in answers.items():
            self.put(name, *lists)

    def put(self, name: str, *lists: Sequence[str]) -> None:
        """Say what a name leads to."""
        self._answers[name] = list(lists)

    async def __call__(self, host: str, port: int) -> list[tuple[int, str]]:
        self.lookups[host] += 1
        lists = self._answers.get(host)
        if lists is None:
            raise UnreachableError(f'The host "{host}" does not exist', where=host)
        addresses = lists.pop(0) if len(lists) > 1 else lists[0]
        return [(socket.AF_INET6 if ":" in address else socket.AF_INET, address) for address in addresses]
