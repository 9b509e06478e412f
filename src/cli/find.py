"""`spyglass find`: searches the user's files."""

from rich.text import Text

from ..kernel.one_line import sanitized
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..tools import find_in_files
from .console import LastingConsole, tell, write_json
from .loop import run_until_done


def find_passages(query: str, settings: Settings, top: int, *, as_json: bool) -> Outcome:
    """Print the best passages for a query, best first, and return the outcome.

    A folder that fails is reported and makes the outcome "partial"; the others are searched. Raises FolderError and
    RetrievalError if all fail.
    """
    result = run_until_done(lambda _: find_in_files(query, settings, top), settings)
    if as_json:
        passages = [hit.model_dump(mode="json") for hit in result.hits]
        write_json({"query": query, "notices": result.notices, "passages": passages})
        return result.outcome
    for notice in result.notices:
        tell(f"Note: {notice}")
    console = LastingConsole()
    for number, hit in enumerate(result.hits, 1):
        passage = hit.passage
        place = ", ".join(part for part in (passage.place, f"characters {passage.start}-{passage.end}") if part)
        heading = (sanitized(f"\n{number}. {hit.path}"), "bold"), sanitized(f" ({place}; score {passage.score:.3f})")
        console.print(Text.assemble(*heading))
        console.print(passage.text, markup=False)
    if not result.hits:
        console.print("Nothing found.")
    return result.outcome
