"""A section's Markdown as HTML: its markers are cards, its doubtful sentences are marked."""

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from ..citation import SIGNS, TAGGED, cited, edited
from .card import Cards
from .element import Html, element, markup, plain
from .flags import Replacement, flags

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    from ...report.report import Report
    from ..labels import Labels

LONGEST_TIED = 24
"""Characters of a word that is moved to the next line with its marker."""

_DIRECTED = frozenset(
    {"paragraph_open", "heading_open", "list_item_open", "bullet_list_open", "ordered_list_open"}
    | {"blockquote_open", "table_open", "th_open", "td_open"}
)


class Prose:
    """Writes the sections of a report."""

    def __init__(self, report: "Report", cards: Cards, words: "Labels") -> None:
        self._report = report
        self._words = words
        self._cards = cards
        self._cited = cited(report)
        self._markdown = _parser()
        self._markdown.disable(["link", "autolink", "reference"])
        self._markdown.inline.ruler.before("emphasis", "citation", self._citation)
        self._markdown.add_render_rule("citation", lambda _self, tokens, index, _options, _env: tokens[index].content)

    def section(self, number: int) -> Html:
        """Return the text of a section: its markers with their cards, its flagged sentences with their reasons."""
        section = self._report.sections[number]
        sign, tag, *_ = [*sorted(SIGNS.difference(section.text)), "", ""]
        if not tag:
            return self._html(section.text, section.title)
        places = [(one.start, one.end, one.tagged(tag, index)) for one, index in self._cited[number]]
        replacements = flags(self._report, number, self._words)
        signed = [(one.start, one.end, sign) for one in replacements]
        page = self._html(edited(section.text, [*places, *signed]), section.title, tag)
        if page.count(sign) == len(replacements):
            return _filled(page, sign, replacements)
        # Markdown has dropped some, as it does with a cell too many: the words that the text itself has must do.
        return self._html(edited(section.text, places), section.title, tag)

    def _html(self, text: str, title: str, tag: str = "") -> Html:
        page = _html(self._markdown, text, {"title": title, "tag": tag})
        return Html(TAGGED.sub(lambda match: f"[{match['number']}]" if match["tag"] == tag else match[0], page))

    def _citation(self, state: "StateInline", silent: bool) -> bool:
        """Make a card of a tagged marker; in code there is none."""
        match = TAGGED.match(state.src, state.pos)
        if not match or not match["tag"] or match["tag"] != state.env["tag"]:
            return False
        if not silent:
            card = self._cards.citation(int(match["index"]))
            state.pending, word = _untied(state.pending)
            state.push("citation", "", 0).content = element("span", word, card, class_="tied") if word else card
        state.pos = match.end()
        return True


def given(text: str) -> Html:
    """Return the HTML of a whole text that another's reporter wrote, without pictures."""
    return _html(_parser(), text, {"title": ""}, top=1)


def _untied(text: str) -> tuple[str, str]:
    """Return a text without its last word, and that word: a marker stays on the line of the word before it."""
    rest, space, word = text.rstrip(" ").rpartition(" ")
    if not word or len(word) > LONGEST_TIED or not set(word).isdisjoint(SIGNS):
        return text, ""
    return rest + space, word if text.endswith(word) else f"{word}\u00a0"


def _filled(page: Html, sign: str, replacements: Sequence[Replacement]) -> Html:
    first, *others = page.split(sign)
    return Html(first + "".join(f"{one.html}{rest}" for one, rest in zip(replacements, others, strict=True)))


def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "code"])
    markdown.add_render_rule("table_open", _table)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return markdown


def _html(markdown: "MarkdownIt", text: str, env: MutableMapping[str, Any], top: int = 3) -> Html:
    tokens = markdown.parse(plain(text), env)
    _level(tokens, top)
    for number, token in enumerate(tokens):
        if token.type in _DIRECTED:
            token.attrSet("dir", "auto")
        if token.type in ("th_open", "td_open"):
            _align(token)
        if token.type == "th_open":
            _head(token, tokens[number + 1 : number + 3])
    return Html(markdown.renderer.render(tokens, markdown.options, env))


def _level(tokens: Sequence["Token"], top: int) -> None:
    """Let headings begin at a level and never skip one."""
    last = top - 1
    for token in tokens:
        if token.type == "heading_open":
            last = min(last + 1, max(top, int(token.tag[1])), 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{last}"


def _align(token: "Token") -> None:
    """Let a cell be aligned by its class: a style of its own is not allowed on the page."""
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", style.removeprefix("text-align:"))


def _head(token: "Token", rest: Sequence["Token"]) -> None:
    """Say what a head of a column is; an empty one heads nothing."""
    content, close = rest
    if content.content.strip():
        token.attrSet("scope", "col")
    else:
        token.tag = close.tag = "td"


def _table(renderer: Any, tokens: Sequence["Token"], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    """Wrap a table, which may be wider than the page, so that it can be moved sideways, also by keys."""
    frame = f'<div class="table" role="group" tabindex="0" aria-label="{markup(env["title"])}">'
    return frame + str(renderer.renderToken(tokens, index, options, env))
