"""The quick searcher: searches the web for the plan's queries and reads the best pages."""

from .web_agent import Web_agent


class Quick_searcher(Web_agent):
    """Searches for the plan's queries, and without a plan for what a task is expanded into."""

    name = "quick-searcher"
    aliases = ("searcher",)
    description = (
        "Searches the web and reads the best pages, quickly; returns the passages that bear on the task, each with its "
        "address. Give it every sub-question that the web may answer."
    )
