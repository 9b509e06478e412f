"""The subcommand `token`: makes, lists and revokes the tokens of callers of the service, with their limits."""

from typing import Annotated

import typer

from ..kernel.settings import Settings
from .console import tell, write
from .options import with_settings

app = typer.Typer(help="Create, list and revoke tokens for callers of the service.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the owner: letters a-z, digits and -.")]


@app.command()
@with_settings(no_model=True)
def new(
    name: Name,
    settings: Settings,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0.01, metavar="USD", help="The maximum cost of its runs in 30 days.")
    ] = None,
    runs_a_day: Annotated[
        int | None, typer.Option("--runs-a-day", min=1, help="The maximum number of runs a day.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="TIME", help="The time until it expires: 12h, 30d, 8w.")
    ] = None,
) -> None:
    """Create a token; it is shown once, and only its hash is stored."""
    from ..serve import Tokens, lasting

    lasts = None if expires is None else lasting(expires)
    write(f"{Tokens(settings).make(name, budget, runs_a_day, lasts)}\n")
    tell("It is not shown again. Callers send it as “Authorization: Bearer …”; the web page asks for it.")


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
    """Revoke a token: from now on, calls with it are refused."""
    from ..serve import Tokens

    Tokens(settings).revoke(name)
    tell(f"The token {name} is revoked; what was made with it is kept.")
