"""Prompt templates: text files with a system part, a line `---`, and a user part."""

from pathlib import Path
from string import Template

from ..kernel.errors import SettingsError
from ..model import Prompt

_SHIPPED = Path(__file__).parent
_SEPARATOR = "---"


def render(name: str, folder: Path | None = None, /, **values: str) -> Prompt:
    """Return the template `name` with its placeholders (`$word` or `${word}`) replaced by `values`.

    A file `name.txt` in `folder` overrides the built-in template. Values are inserted verbatim: a `$` or a line `---`
    in a value has no meaning; a template writes a literal `$` as `$$`. Raises SettingsError for an unknown template, a
    file that overrides none, an unreadable file, one without separator, a placeholder without value and a value without
    placeholder.
    """
    path = _path(name, folder)
    system, user = _parts(path)
    _check(path, system, user, set(values))
    return Prompt(system.substitute(values), user.substitute(values))


def _path(name: str, folder: Path | None) -> Path:
    known = sorted(path.stem for path in _SHIPPED.glob("*.txt"))
    remedy = f"Known templates: {', '.join(known)}."
    if name not in known:
        raise SettingsError(f'There is no prompt template "{name}"', remedy=remedy)
    if folder is None:
        return _SHIPPED / f"{name}.txt"
    if not folder.is_dir():
        raise SettingsError("The folder of prompt templates does not exist", where=str(folder))
    overrides = sorted(path.stem for path in folder.glob("*.txt"))
    if stray := [stem for stem in overrides if stem not in known]:
        raise SettingsError(f'"{stray[0]}.txt" is not the name of a prompt template', where=str(folder), remedy=remedy)
    return (folder if name in overrides else _SHIPPED) / f"{name}.txt"


def _parts(path: Path) -> tuple[Template, Template]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The prompt template cannot be read: {error}", where=str(path)) from error
    stripped = [line.rstrip() for line in lines]
    if _SEPARATOR not in stripped:
        raise SettingsError(
            "The prompt template has no system part",
            where=str(path),
            remedy=f"Put a line {_SEPARATOR} between the system part and the user part.",
        )
    middle = stripped.index(_SEPARATOR)
    system, user = lines[:middle], lines[middle + 1 :]
    return Template("\n".join(system).strip()), Template("\n".join(user).strip())


def _check(path: Path, system: Template, user: Template, values: set[str]) -> None:
    """Raise SettingsError unless the placeholders of the template are exactly the names in `values`."""
    if not (system.is_valid() and user.is_valid()):
        raise SettingsError("A $ is not followed by a placeholder", where=str(path), remedy="Write $$ for a literal $.")
    placeholders = {*system.get_identifiers(), *user.get_identifiers()}
    remedy = f"Known placeholders: {', '.join(f'${name}' for name in sorted(values)) or 'none'}."
    if missing := sorted(placeholders - values):
        raise SettingsError(f"The placeholder ${missing[0]} does not exist", where=str(path), remedy=remedy)
    if unused := sorted(values - placeholders):
        raise SettingsError(f"The placeholder ${unused[0]} is missing", where=str(path), remedy="Use each placeholder.")
