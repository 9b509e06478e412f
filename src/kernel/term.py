"""Terms: the content words of a text, normalised so that a query and a passage can be compared."""

import re
import unicodedata
from collections.abc import Iterable

_CJK = "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0971-\u0dff\u0e31-\u0eff"
)

_TERM = re.compile(
    rf"(?P<cjk>[{_CJK}]++)|(?P<number>[0-9]++(?:[.,][0-9]++)++)|(?P<word>[^\W_{_CJK}]++(?:[{_MARKS}]++[^\W_{_CJK}]*+)*+)"
)
_WIDE = re.compile(f"[{_CJK}]")
_CJK_GRAMMAR = re.compile(
    # Chinese: what is asked, then what joins
    "什么时候|什麼時候|有?多[久长長大高远遠快重]|为什么|為什麼|什么样|什么|什麼|怎么样|怎么|怎麼|怎样|怎樣|如何|多少|几个|哪里|哪裡|哪儿|哪些|哪个|哪個|哪|"
    "谁|誰|是不是|是否|有没有|请问|請問|可以|应该|應該|因为|所以|以及|或者|还是|[的了吗嗎呢吧是么麼]|"
    # Japanese: what is asked, then what ends or joins
    "何ですか|何の|何を|何が|何時|何処|なぜ|どうして|どうやって|どのように|どのくらい|どの|どこ|どちら|どれ|どう|いつ|だれ|いくつ|いくら|"
    "でしょうか|でしょう|でした|です|ください|下さい|ました|ません|ます|であった|である|だった|"
    "されて|されました|される|された|すれば|している|していた|して|する|した|しま|いいですか|いい|いる|いた|ある|あり|あった|なる|なって|なり|"
    "について|において|における|によって|により|による|として|とは|という|こと|もの|ため|これ|それ|この|その|から|まで|より|など|だけ|"
    "[はがをにへとものでやかねよてたい]"
)
"""The function words of Chinese and Japanese, longest first. Text is split there: no pair of characters crosses one,
and the phrasing of a question is not compared."""

_PLAIN_TERM = re.compile(r"[0-9]++(?:[.,][0-9]++)++|[a-z0-9]++")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LONGEST_WORD = 64
SAID_IN_BRACKETS = r"\([^\W_]{1,20}:[ \t][^\n()]{1,200}\)"
"""A remark about the term of a line: "mailbox_size_limit (default: 51200000)"."""

LONGEST_TERM = 4  # words of a query that may be a single term

_FUNCTION_WORDS = (
    # English
    "a about after again all also am an and any are aren as at be because been before being between both but by can "
    "could did do does doing don during each few for from further had has have having he her here hers him his how i "
    "if in into is isn it its itself just me more most my no nor not now of off on once only or other our ours out "
    "over own s same she should so some such t than that the their theirs them then there these they this those "
    "through to too under until up very was we were what when where which while who whom whose why will with would "
    "you your yours couldn didn doesn hasn shouldn wasn weren wouldn "
    # German
    "aber als am auch auf aus bei bis das dass dem den der des diese dieser doch ein eine einem einen einer eines "
    "er es fur im ist nach nicht noch oder sich sie sind und uber um unter vom von vor wann warum was welche "
    "welchem welchen welcher welches wem wenn werden weshalb wessen wie wieso wieviel wieviele wird wo wodurch "
    "wofur woher wohin womit woran worauf woruber wozu zu zum zur "
    # French
    "au aux avec ce ces cette combien dans du elle elles en est et etait il ils je la laquelle le lequel les leur "
    "leurs lui mais meme ne notre nous ou par pas plus pour pourquoi qu quand que quel quelle quels quelles qui "
    "quoi sa se ses sont sur un une vous "
    # Spanish, Portuguese, Italian
    "adonde como con cual cuales cuando cuanta cuantas cuanto cuantos da das de degli dei del della delle di do "
    "donde dos e el ella em entre es este esta ha hanno il lo los las mais ma nel nella no nos o os para per pero "
    "por porque quais quale quali quando quantas quante quanti quanto quantos que quem quien quienes se seu si sono "
    "sua su sus tra um uma una uno y "
    # Dutch
    "aan bij deze dit een en het hoeveel ik is maar naar niet nog of om ook op te uit voor waar waarom wanneer wat "
    "welk welke wie wordt ze zij zijn "
)
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Folded function words of English, German, French, Spanish, Portuguese, Italian and Dutch, except those that are
content words in another of them (`die`, `war`, `door`, `van`, `era`)."""


def terms(text: str) -> list[str]:
    """Return the content words of `text` in order: lower case, without accents, without stop words.

    A number with its point or comma is one term (`3.14`). A run of Chinese or Japanese between function words gives its
    overlapping pairs of characters. Other words are cut at 64 characters. Linear in `text`.
    """
    if text.isascii():
        words = (word[:_LONGEST_WORD] for word in _PLAIN_TERM.findall(text.lower()))
        return [word for word in words if word not in STOP_WORDS]
    result: list[str] = []
    for match in _TERM.finditer(text):
        if match["cjk"]:
            result += bigrams(match[0])
        else:
            word = fold(match[0][:_LONGEST_WORD])
            if word and word not in STOP_WORDS:
                result.append(word)
    return result


def bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of characters in a run of Chinese or Japanese, with half-width forms normalised."""
    pieces = _CJK_GRAMMAR.split(unicodedata.normalize("NFKC", run))
    return [pair for part in pieces if part for pair in [part[i : i + 2] for i in range(len(part) - 1)] or [part]]


def written_words(text: str) -> list[str]:
    """Return the words of a text as written, with numbers whole; Chinese and Japanese are split at function words."""
    runs = re.findall(rf"[{_CJK}]+|[0-9]+(?:[.,][0-9]+)+|[^\W_{_CJK}]+", text)
    return [word for run in runs for word in (_CJK_GRAMMAR.split(run) if is_wide(run) else [run]) if word]


def is_wide(text: str) -> bool:
    """Return whether a text begins with Chinese or Japanese, which have neither spaces between words nor capitals."""
    return _WIDE.match(text) is not None


def fold(word: str) -> str:
    """Return `word` in lower case, without Latin, Greek and Cyrillic accents, with compatibility forms replaced."""
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    return unicodedata.normalize("NFC", plain).lower()


SHORTEST_MENDED = 5  # minimum letters of a word that may be a misspelling
SHORTEST_EXCHANGED = 6  # the same for a substituted letter: short words often differ by one, as "login" and "logic"


def misspelt(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words that a word may misspell: a letter substituted, missing or added, or two swapped.

    The first letter must be the same, and words with digits never match: a number or a model's name is no misspelling.
    Words of five letters do not match with a substituted letter.
    """
    if len(word) < SHORTEST_MENDED or not word.isalpha():
        return []
    return [other for other in known if other[:1] == word[0] and _one_slip(word, other)]


def _one_slip(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    if len(long) - len(short) > 1 or word == other:
        return False
    same = next((n for n, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = short[same : same + 2] == long[same : same + 2][::-1]
    exchanged = len(short) >= SHORTEST_EXCHANGED and short[same + 1 :] == long[same + 1 :]
    return exchanged or (swapped and short[same + 2 :] == long[same + 2 :])
