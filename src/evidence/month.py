"""The names of the months, in seven languages."""

from .vocabulary import vocabulary

_MONTHS = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar marz april mai juni juli august september oktober november dezember",
    "fr": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
MONTHS: dict[str, int] = {
    name: number for listed in (*_MONTHS.values(), _SHORT_MONTHS) for number, name in enumerate(listed.split(), 1)
} | {"sept": 9, "janner": 1, "okt": 10, "dez": 12}
ALSO_WORDS = vocabulary("may march mars marco mai mar jan dec sep mei april june august")
"""Months that are a verb, a planet, a name or a common word too, so a day, a year or `in` must stand beside them."""
