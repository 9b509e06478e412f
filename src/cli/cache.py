"""The subcommand `cache`: shows and deletes what earlier runs stored for later ones."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer
from pydantic import TypeAdapter, ValidationError

from ..kernel.errors import UsageError
from ..kernel.settings import Seconds, Settings
from .console import tell, write_result
from .options import AsJson, with_settings

if TYPE_CHECKING:
    from ..kernel.cache import Share

UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))

HELP: Final = "Show what earlier runs stored for later ones: searches, pages, conversions."
app = typer.Typer(help=HELP, invoke_without_command=True)


@app.callback(help=HELP)
@with_settings(no_model=True)
def show(context: typer.Context, settings: Settings, as_json: AsJson = False) -> None:  # noqa: ARG001
    """Print the entries, sizes and ages of each kind. Raises CacheError."""
    from ..kernel.cache import cache_at

    cache = cache_at(settings)

    async def shares() -> "list[Share]":
        async with cache:
            return await cache.shares()

    found = asyncio.run(shares()) if cache.path.exists() else []
    size = sum(share.size for share in found)
    kinds = [asdict(share) for share in found]
    lines = [
        f"{share.kind:<12}{share.entries:>7} entries{_megabytes(share.size):>11}   "
        f"stored {_age(share.newest)} to {_age(share.oldest)} ago"
        for share in found
    ]
    lines.append(f"{_megabytes(size)} of {_megabytes(cache.most)} in {cache.path}")
    record = {"path": str(cache.path), "size": size, "most": cache.most, "kinds": kinds}
    write_result(record, "\n".join(lines), as_json=as_json)


@app.command()
@with_settings(no_model=True)
def clear(
    settings: Settings,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only entries of this kind.")] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="TIME", help="Only entries older than, such as 12h or 7d.")
    ] = None,
) -> None:
    """Delete cache entries, all of them or those that the options select."""
    from ..kernel.cache import cache_at

    cache, seconds = cache_at(settings), _seconds(older_than or "0s")

    async def cleared() -> int:
        async with cache:
            kinds = [share.kind for share in await cache.shares()]
            if kind is not None and kind not in kinds:
                known = ", ".join(kinds) or "none"
                raise UsageError(
                    f'The cache has no entries of the kind "{kind}"', remedy=f"Kinds in the cache: {known}."
                )
            return await cache.clear(kind, older_than=seconds)

    tell(f"Deleted: {asyncio.run(cleared()) if cache.path.exists() else 0} entries.")


def _seconds(text: str) -> float:

    try:
        return TypeAdapter[float](Seconds).validate_python(text)
    except ValidationError as error:
        raise UsageError(
            f'"{text}" is not a duration', where="--older-than", remedy="Use, for example, 30m, 12h or 7d."
        ) from error


def _age(seconds: float) -> str:
    size, unit = next(((size, unit) for unit, size in UNITS if seconds >= size), (1, "s"))
    return f"{seconds / size:.0f} {unit}"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"
