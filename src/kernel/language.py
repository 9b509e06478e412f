"""Detection of the language of a question, and whether a text is in another one."""

import re
from collections import Counter

_NAMES = {
    "en": ("English",),
    "de": ("German", "Deutsch"),
    "fr": ("French", "Français"),
    "es": ("Spanish", "Español"),
    "it": ("Italian", "Italiano"),
    "pt": ("Portuguese", "Português"),
    "nl": ("Dutch", "Nederlands"),
    "zh": ("Chinese", "中文", "汉语", "漢語"),
    "ja": ("Japanese", "日本語"),
}

_FUNCTION_WORDS = {
    "en": "the of and to in is are was were what which who how many much why when where does do did for with by from "
    "can about a an as at be i my has have had should would could may might must shall will",
    "de": "der die das und ist sind war was welche welcher wer wie warum wann wo für mit von dem den ein im zu über "
    "wieso weshalb wozu darum geworden müssen welches welchem welchen wessen wem wen wieviel viel viele "
    "kann darf soll muss sollte könnte ich man eine einen einem einer eines diese dieser dieses diesem diesen wurde "
    "wurden wird werden waren haben hatte hatten können bei nach aus auf vom zum zur durch nicht sich dass zwischen "
    "wir uns unser unsere ihr ihre ihren seine seiner worüber wofür womit woran wohin woher ohne gegen "
    "auch noch",
    "fr": "le la les des du et est sont quel quelle quels quelles qui que comment pourquoi quand où pour avec par dans "
    "combien lequel laquelle lesquels lesquelles faut peut doit dois puis je de au aux il elle ce cette ne pas nous "
    "vous on un une sur si plus avant après chez sans mais leur leurs ils elles ont été notre nos votre vos",
    "es": "el la los las del y es son qué cuál cuáles quién cómo por cuándo dónde para con una en fue se sobre "
    "cuánto cuánta cuántos cuántas quiénes puedo puede debo debe de que hay nos al lo más está están si sin ha han",
    "it": "il lo la i gli le di e è sono che quale quali chi come perché quando dove per con una nel della sul si "
    "quanto quanta quanti quante posso può devo deve",
    "pt": "o a os as do da dos das e é são que qual quais quem como por quando onde para com uma em no na foi "
    "quanto quanta quantos quantas posso pode devo deve de ao não nos há",
    "nl": "de het een en is zijn was wat welke wie hoe waarom wanneer waar voor met van door in op te naar over "
    "hoeveel wiens kan mag moet ik je",
}
"""Frequent words that distinguish these languages even in a text as short as a question."""

ASKING_UNSPACED = re.compile(
    "(?:どれ|どの)[くぐ]らい|何[人年月日時分回個件本枚台歳]|いくつ|いくら|幾つ|能不能|会不会|會不會|可不可以|能否|可否|多[大少]|[几幾](?:个|個|年|月|天|次|人)"
)
"""Question words of Japanese and Chinese, which do not name the subject of a question."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS_OF = {code: _words(words) for code, words in _FUNCTION_WORDS.items()}
"""The function words of each language, by its code."""

FUNCTION_WORDS = _words(" ".join(_FUNCTION_WORDS.values()))
"""The function words of all languages, which do not indicate the subject of a question."""

_ALSO_ENGLISH = _words("over per no come die man war met door comment son pour com dos on plus chez")
"""Function words that are not evidence of another language by themselves: "split the check over several days"."""

_ENGLISH = FUNCTION_WORDS_OF["en"] | _words(
    "been between during if into it its not on or than that their there these this those under whose"
)
_OTHERS = (FUNCTION_WORDS | _words("nella")) - _ENGLISH - _ALSO_ENGLISH
"""Function words of other languages that are not also English words."""

_ONLY_ENGLISH = _ENGLISH.difference(*(words for code, words in FUNCTION_WORDS_OF.items() if code != "en"))
"""English function words that, unlike "was", "in" and "a", are of no other language of the table."""

_MARKS = {"es": re.compile("[¿¡]"), "fr": re.compile(r"\b(?:qu|[jnsmt])['’]\w")}
"""What only one language is written with: ¿, and the elisions of qu’on, j’ai and n’est."""

_LONGEST = 2_000

_KANA = re.compile("[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_UNSPACED = re.compile(f"{_KANA.pattern}|{_HAN.pattern}|[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Letters of Japanese, Chinese, Thai, Lao, Burmese and Khmer."""


def is_unspaced(text: str) -> bool:
    """Return whether most letters of a text are of a script that puts no space between words."""
    return 2 * len(_UNSPACED.findall(text)) > sum(map(str.isalpha, text))


def is_english(text: str) -> bool:
    """Return whether a text is more likely English than not: by its letters, then by its function words.

    One that has function words of another language has at least as many that are only English.
    """
    letters = [letter for letter in text[:_LONGEST] if letter.isalpha()]
    if sum(not letter.isascii() for letter in letters) * 20 > len(letters):
        return False
    words = re.findall(r"[^\W\d_]+", text[:_LONGEST].lower())
    others = sum(word in _OTHERS for word in words)
    return not others or sum(word in _ONLY_ENGLISH for word in words) >= others


def differs_in_language(text: str, question: str) -> bool:
    """Return whether a text is certainly in another language than a question; that of short texts may be unknown."""
    language = language_of(question)
    if language in ("en", None):
        return is_english(question) and not is_english(text)
    return language_of(text) not in (language, None)


def language_name(language: str) -> str:
    """Return the name of a language for a prompt: `German` for `de`, any other name unchanged."""
    return _NAMES[language][0] if language in _NAMES else language


def own_name(language: str) -> str:
    """Return the native name of a language, for a code of the table."""
    return _NAMES[language][-1]


def language_of(text: str) -> str | None:
    """Return the code of a text's language; None if its words indicate none, or two equally."""
    if not any(word in FUNCTION_WORDS for word in re.findall(r"[^\W\d_]+", text[:_LONGEST].casefold())):
        language = _detected(text)
        return language if language in ("zh", "ja") else None
    first, second = _counts(text[:_LONGEST]).most_common(2)
    return first[0] if first[1] > second[1] else None


def resolved(setting: str, question: str, texts: str = "") -> str:
    """Return the language of a report: the setting, as a code if it is in the table, or the question's for `auto`.

    If the question tells none, it is that of the texts. `auto` is returned when it is in no language of the table.
    """
    name = setting.strip().casefold()
    if name == "auto":
        told = None if language_of(question) else language_of(texts)
        return told or _detected(question)
    for code, names in _NAMES.items():
        if re.split("[-_]", name)[0] == code or name in {known.casefold() for known in names}:
            return code
    return setting.strip()


def _detected(question: str) -> str:
    """Return `ja` for kana, `zh` for Han only, unless other words prevail, else the language of most words."""
    kana, han = len(_KANA.findall(question)), len(_HAN.findall(question))
    others = _KANA.sub(" ", _HAN.sub(" ", question.casefold()))
    if kana + han > len(re.findall(r"[^\W\d_]+", others)) and not _HANGUL.search(question):
        return "ja" if kana else "zh"
    best, count = _counts(others).most_common(1)[0]
    if count:
        return best
    return "en" if question.isascii() else "auto"


def _counts(text: str) -> Counter[str]:
    text = text.casefold()
    words = re.findall(r"[^\W\d_]+", text)
    matches = {code: [word for word in words if word in known] for code, known in FUNCTION_WORDS_OF.items()}
    counts = {code: code == "en" or not _ALSO_ENGLISH.issuperset(hits) for code, hits in matches.items()}
    marked = {code: 2 for code, marks in _MARKS.items() if marks.search(text)}
    return Counter({code: len(hits) * counts[code] + marked.get(code, 0) for code, hits in matches.items()})
