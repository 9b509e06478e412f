"""The subcommand `cache`: what earlier runs have kept for later ones."""

from typing import Annotated

import typer

from .options import AsJson, Config, settings_of

app = typer.Typer(
    help="Show what earlier runs have kept for later ones: searches, pages, conversions.", invoke_without_command=True
)


@app.callback()
def show(context: typer.Context, config: Config = None, as_json: AsJson = False) -> None:
    """Show what earlier runs have kept for later ones: searches, pages, conversions."""
    if context.invoked_subcommand is None:
        from .shares import show_cache

        show_cache(settings_of(config, no_model=True), as_json=as_json)


@app.command()
def clear(
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only entries of this kind.")] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="TIME", help="Only those stored before: 12h or 7d.")
    ] = None,
    config: Config = None,
) -> None:
    """Delete what is kept, all of it or what the options say."""
    from .shares import clear_cache

    clear_cache(settings_of(config, no_model=True), kind, older_than)
