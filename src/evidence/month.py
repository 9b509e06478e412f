"""The names of the months, in seven languages."""

from .lexicon import table, vocabulary

_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
MONTHS: dict[str, int] = {
    name: number
    for listed in (*table("month").values(), _SHORT_MONTHS)
    for number, name in enumerate(listed.split(), 1)
} | {"sept": 9, "janner": 1, "okt": 10, "dez": 12}
ALSO_WORDS = vocabulary("may march mars marco mai mar jan dec sep mei april june august")
"""Months that are a verb, a planet, a name or a common word too, so a day, a year or `in` must stand beside them."""
