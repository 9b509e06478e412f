"""What is installed is what is there."""

import configparser
from pathlib import Path

import spyglass

ROOT = Path(__file__).parent.parent


def test_the_list_of_packages_is_the_list_of_folders() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = setup["options"]["packages"].split()
    folders = [path.parent.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("__init__.py")]
    assert sorted(listed) == sorted(".".join(("spyglass", *folder.parts)) for folder in folders)


def test_every_public_name_is_there() -> None:
    assert spyglass.__all__ == sorted(spyglass.__all__)
    assert all(getattr(spyglass, name) for name in spyglass.__all__)


def test_every_setting_is_documented() -> None:
    from spyglass.settings import Settings

    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in Settings.model_fields if f"`{name}`" not in text] == []
