"""The subcommand `token`: makes, lists and revokes the tokens of callers of the service, with their limits."""

from typing import Annotated

import typer

from ..kernel.settings import Settings
from .console import tell, write
from .options import with_settings

app = typer.Typer(help="Make, list and revoke the tokens that callers of the service show.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Whom it is for: letters a-z, digits and -.")]


@app.command()
@with_settings(no_model=True)
def new(
    name: Name,
    settings: Settings,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0.01, metavar="USD", help="What its runs of 30 days may cost.")
    ] = None,
    runs_a_day: Annotated[int | None, typer.Option("--runs-a-day", min=1, help="Runs that it is for a day.")] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="TIME", help="How long it holds: 12h, 30d, 8w.")
    ] = None,
) -> None:
    """Make a token; it is told once, and only its hash is kept."""
    from ..serve import Tokens, lasting

    lasts = None if expires is None else lasting(expires)
    write(f"{Tokens(settings).make(name, budget, runs_a_day, lasts)}\n")
    tell("It is not told again. Callers show it as “Authorization: Bearer …”; the page asks for it.")


@app.command("list")
@with_settings(no_model=True)
def list_(settings: Settings) -> None:
    """List the tokens by their names."""
    from ..serve import Tokens

    for grant in Tokens(settings).grants():
        budget = "" if grant.budget is None else f"  ${grant.budget:g} in 30 days"
        runs = "" if grant.runs_a_day is None else f"  {grant.runs_a_day} runs a day"
        ends = "" if grant.ends is None else f"  {'expired' if grant.expired else 'expires'} {grant.ends.isoformat()}"
        write(f"{grant.name}  made {grant.made}{ends}{budget}{runs}\n")


@app.command()
@with_settings(no_model=True)
def revoke(name: Name, settings: Settings) -> None:
    """Let nobody in any more who shows the token of that name, from the next call on."""
    from ..serve import Tokens

    Tokens(settings).revoke(name)
    tell(f"The token {name} opens nothing any more; what was made with it is kept.")
