"""Which domains the user wants, refuses and trusts; the one place where these lists act."""

from dataclasses import dataclass
from typing import Self

from ..kernel.settings import Settings
from .urls import domain_entries, domain_of, suffixes


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's three lists, as hosts: with any in `only`, no other domain counts; `block` goes before it."""

    only: frozenset[str] = frozenset()
    block: frozenset[str] = frozenset()
    trust: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the lists of the settings. Raises SettingsError for an entry that names no domain."""
        lists = (settings.search.domains, settings.search.block, settings.search.trust)
        return cls(*(domain_entries(entries) for entries in lists))

    def admits(self, url: str) -> bool:
        """Say whether an address may be used: a web address, of a wanted domain and not of a refused one."""
        above = suffixes(domain_of(url))
        if "" in above or not url.strip().lower().startswith(("http:", "https:")):
            return False
        return above.isdisjoint(self.block) and (not self.only or not above.isdisjoint(self.only))

    def trusts(self, url: str) -> bool:
        """Say whether an address is of a domain that gets a ranking bonus."""
        return not suffixes(domain_of(url)).isdisjoint(self.trust)
