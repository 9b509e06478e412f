"""What `spyglass cache` and `spyglass cache clear` do."""

import asyncio
import json
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError

from ..kernel.cache import Share, cache_at
from ..kernel.errors import UsageError
from ..kernel.settings import Seconds, Settings
from .console import LastingConsole, tell, write

UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def show_cache(settings: Settings, *, as_json: bool) -> None:
    """Print the entries, sizes and ages of each kind. Raises CacheError."""
    cache = cache_at(settings)

    async def shares() -> list[Share]:
        async with cache:
            return await cache.shares()

    found = asyncio.run(shares()) if cache.path.exists() else []
    size = sum(share.size for share in found)
    if as_json:
        record = {"path": str(cache.path), "size": size, "most": cache.most, "kinds": [asdict(one) for one in found]}
        write(json.dumps(record, indent=2) + "\n")
        return
    console = LastingConsole()
    for share in found:
        console.print(
            f"{share.kind:<12}{share.entries:>7} entries{_megabytes(share.size):>11}   stored "
            f"{_age(share.newest)} to {_age(share.oldest)} ago",
            markup=False,
        )
    console.print(f"{_megabytes(size)} of {_megabytes(cache.most)} in {cache.path}", markup=False)


def clear_cache(settings: Settings, kind: str | None, older_than: str | None) -> None:
    """Delete entries, and tell how many. Raises UsageError for a kind that nobody keeps, and CacheError."""
    cache = cache_at(settings)
    seconds = _seconds(older_than or "0s")

    async def cleared() -> int:
        async with cache:
            kinds = [share.kind for share in await cache.shares()]
            if kind is not None and kind not in kinds:
                raise UsageError(
                    f'Nothing is kept of the kind "{kind}"', remedy=f"Kinds: {', '.join(kinds) or 'none'}."
                )
            return await cache.clear(kind, older_than=seconds)

    tell(f"Deleted: {asyncio.run(cleared()) if cache.path.exists() else 0} entries.")


def _seconds(text: str) -> float:
    try:
        return TypeAdapter[float](Seconds).validate_python(text)
    except ValidationError as error:
        raise UsageError(f'"{text}" is no time', where="--older-than", remedy="For example: 30m, 12h or 7d.") from error


def _age(seconds: float) -> str:
    size, unit = next(((size, unit) for unit, size in UNITS if seconds >= size), (1, "s"))
    return f"{seconds / size:.0f} {unit}"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"
