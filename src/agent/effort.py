"""Chooses a run's effort from its question: a question for a single fact does not need twenty searches."""

import re
from typing import Any, Final

from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..search.queries import sides
from .decompose import sub_questions

MOST_WORDS: Final = 14  # a longer question has conditions, and its answer is seldom one line
QUICK: Final[dict[str, Any]] = {"search.max_queries": 2, "research.max_pages": 4, "report.length": "short"}
"""Settings of a quick run, unless the user has set them."""

_MEASURES = "old|tall|high|long|wide|deep|far|fast|heavy|big|large|hot|cold|many|much|thick|bright|often|loud|dense"
_FACTS = (
    "capital|population|currency|area|length|height|depth|width|weight|mass|density|diameter|radius|circumference|"
    "distance|speed|age|birthday|birthplace|name|surname|nickname|address|headquarters|date|year|number|amount|price|"
    "melting point|boiling point|freezing point|atomic number|symbol|formula|nationality|official language|acronym|"
    "abbreviation|time zone|zip code|postal code|area code|dialling code|elevation|altitude|latitude|longitude|author|"
    "founder|inventor|director|president|prime minister|king|queen|mayor|chairman|ceo|maximum|minimum|default|"
    "latest version|current version|highest|tallest|longest|largest|biggest|smallest|deepest|oldest|fastest"
).replace(" ", r"\s+")
_FACT = re.compile(
    rf"""(?:
      (?:in|on|at|by|from|since|until|to|of)?\s*(?:which|what)\s+(?:year|month|day|date|century|country|city|town|
        continent|planet|river|month|port|language|colou?r|currency)\b
    | who\s+(?:is|was|won|wrote|invented|discovered|founded|built|painted|composed|directed|designed|created|made|
        said|owns|played|sang|holds|killed|succeeded|became|has|had)\b
    | whose\b
    | when\s+(?:is|was|were|did|does|do|will|has|had)\b
    | where\s+(?:is|was|were|did|does)\b
    | how\s+(?:{_MEASURES})\b
    | what\s+(?:is|was|are|were)\s+the\s+(?:\w+\s+)?(?:{_FACTS})\b
    | what\s+does\s+\S+\s+(?:stand\s+for|mean)
    | wer\s+(?:ist|war|hat|erfand|schrieb|baute|gründete|entdeckte|gewann|malte)\b
    | wann\s+(?:ist|war|wurde|wurden|hat|begann|endete|starb)\b
    | wo\s+(?:ist|war|liegt|steht|wurde)\b
    | wie\s+(?:viele?|alt|hoch|lang|weit|tief|groß|breit|schwer|schnell|teuer)\b
    | was\s+ist\s+die\s+(?:hauptstadt|währung|fläche)\b
    | qui\s+(?:est|était|a)\b | quand\s+(?:est|a|le|la)\b | où\s+(?:est|se)\b | combien\b
    | quién\s+(?:es|fue|era)\b | cuándo\b | dónde\s+(?:está|es|fue)\b | cuánt[oa]s?\b
    | chi\s+(?:è|era|ha)\b | quando\s+(?:è|fu|ha|foi|nasceu)\b | dove\s+(?:è|si)\b | quant[oi]\b
    | quem\s+(?:é|foi|era)\b | onde\s+(?:fica|é|está)\b
    | wie\s+(?:is|was|schreef|heeft)\b | wanneer\b | waar\s+(?:is|ligt|staat)\b
    | hoe\s+(?:oud|hoog|lang|ver|diep|veel)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = re.compile(r"^¿?\s*(?:please|tell me|do you know|can you tell me|hey|hi|ok(?:ay)?)?\b[\s,:]*", re.IGNORECASE)
_BROAD = re.compile(
    r"""\b(?:why|compar\w*|versus|vs|differ\w*|pros|cons|advantages?|disadvantages?|trade-?offs?|impacts?|effects?|
    influence[sd]?|causes?|caused|reasons?|role|history|overview|evolution|evolved?|changed?|develop(?:ed|ment)?|
    trends?|strateg\w+|approach\w*|best|better|should|would|could|main|key|major|important|decide|make\s+sense|
    worth|work|works)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_for_a_fact(question: str) -> bool:
    """Return whether a question asks only one who, when, where or how many, and nothing that needs explaining.

    Decided by rules for seven languages; False in case of doubt.
    """
    core = _OPENING.sub("", " ".join(question.split()))
    if len(core.split()) > MOST_WORDS or not _FACT.match(core) or _BROAD.search(core):
        return False
    return len(sub_questions(core)) == 1 and len(sides(core)) < 2


def fitted(settings: Settings, question: str) -> Settings:
    """Return the settings with effort `auto` replaced by one for the question, and with the limits of a quick run.

    The user's settings are kept. `auto` does not become quick if the user wants sections or a long report.
    """
    effort = settings.effort
    if effort == "auto":
        wants_more = settings.report.sections or settings.report.length == "long"
        effort = "quick" if asks_for_a_fact(question) and not wants_more else "normal"
    limits = {name: value for name, value in QUICK.items() if name not in settings.explicit}
    return settings.updated(effort=effort, **(limits if effort == "quick" else {}))


def effort_notice(settings: Settings) -> Notice | None:
    """Return the notice about a run's effort, None for normal effort."""
    if settings.effort == "quick":
        return Notice("effort_quick", queries=settings.search.max_queries, pages=settings.research.max_pages)
    return Notice("effort_deep") if settings.effort == "deep" else None
