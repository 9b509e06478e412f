"""Creates agents and models by name."""

from ..agent import Agent, Planner, Quick_searcher, RAG_agent, Reporter, Search_agent
from ..kernel.argument import validated
from ..kernel.registry import Registry
from ..kernel.settings import Settings
from ..model import Model, providers

AGENTS: Registry[Agent] = Registry(
    "agent",
    Agent,
    "spyglass.agents",
    {
        "planner": Planner,
        "searcher": Quick_searcher,
        "quick-searcher": Quick_searcher,
        "search-agent": Search_agent,
        "local-retrieval": RAG_agent,
        "reporter": Reporter,
    },
)
"""All agents by name. Packages add theirs, classes that take a model, as entry points in `spyglass.agents`."""


class Factory:
    """Creates agents and models from their names, ignoring case."""

    @staticmethod
    @validated
    def get_agent(name: str, model: Model | None, settings: Settings | None = None) -> Agent:
        """Return a new agent of that name; without settings it uses those of its run.

        Raises UnknownNameError, which lists the known names, also if an entry point cannot be loaded.
        """
        agent = AGENTS.get(name)(model)  # type: ignore[call-arg]  # every registered class takes its model
        if settings is not None:
            agent.configure(settings)
        return agent

    @staticmethod
    @validated
    def get_model(provider: str, model: str, settings: Settings | None = None) -> Model:
        """Return a model of that provider; no connection is opened and no key needed before the first call.

        Raises UnknownNameError, which lists the known providers.
        """
        return providers.get_model(provider, model, settings)
