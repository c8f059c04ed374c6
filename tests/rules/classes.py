"""
Finds the classes of templates, markup in Python and styles.

A class of ours is a component or a part of it (`c-panel`, `c-panel-head`), a state (`is-wide`), or a utility
(`u-clip`).
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEME = re.compile(r"(?:c|u|is)-[a-z0-9]+(?:[-_][a-z0-9]+)*")
# Styles of pages and parts that other packages write, with their classes.
_FOREIGN_STYLES = {"admin.css", "admin_forms.css", "admin_lists.css", "api_docs.css"}
# The themes on <html>, what htmx and the Django admin set, and the colours of a stored text, which has many.
_FOREIGN = {"dark", "light", "htmx-indicator", "htmx-request", "button", "breadcrumbs", *"acnst"}

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"([^{};]+)\{")
_CLASS = re.compile(r"\.([A-Za-z][\w-]*)")
_VALUE = re.compile(r"\{\{.*?\}\}|\{[^{}%]*\}", re.DOTALL)
_LOGIC = re.compile(r"\{%.*?%\}", re.DOTALL)
_ATTRIBUTE = re.compile(r"\bclass=([\"'])(?P<names>(?:\{%.*?%\}|\{\{.*?\}\}|(?!\1)[^\\<>])*)\1", re.DOTALL)
_TAG = re.compile(r"\{% (?:table|column|facts?) .*?%\}", re.DOTALL)
_OPTION = re.compile(r'\b(?:box|head|kind)="(?P<names>[^"]*)"')
_WORD = re.compile(r"[A-Za-z][\w-]*")
_NAME = re.compile(r"(?<![\w\0-])[A-Za-z][\w-]*(?![\w\0-])")


def styles() -> list[Path]:
    return [path for path in sorted((ROOT / "static/css").rglob("*.css")) if path.name not in _FOREIGN_STYLES]


def classes_of_style(path: Path) -> Iterator[str]:
    """Yield each class that the selectors of a style have, without those of other packages."""
    for selector in _SELECTOR.findall(_COMMENT.sub("", path.read_text(encoding="utf-8"))):
        yield from (name for name in _CLASS.findall(selector) if name not in _FOREIGN)


def templates() -> list[Path]:
    """Return the templates, without those of the Django admin, which has classes of its own."""
    return [path for path in sorted((ROOT / "templates").rglob("*.html")) if "admin" not in path.parts]


def modules() -> list[Path]:
    return sorted((ROOT / "messages_app").rglob("*.py"))


def classes_of_markup(path: Path) -> Iterator[str]:
    """Yield each class that the elements of a template or of a module's markup have."""
    text = path.read_text(encoding="utf-8")
    values = [match["names"] for match in _ATTRIBUTE.finditer(text)]
    values += [match["names"] for tag in _TAG.findall(text) for match in _OPTION.finditer(tag)]
    for value in values:
        # What a variable gives is the rest of a name: is-{{ side }}.
        names = _NAME.findall(_LOGIC.sub(" ", _VALUE.sub("\0", value)))
        yield from (name for name in names if name not in _FOREIGN)


def words_of_product() -> set[str]:
    """Return every word of the templates, modules, scripts and drawings."""
    paths = [*(ROOT / "templates").rglob("*.html"), *modules(), *(ROOT / "static/js").glob("*.js")]
    paths += (ROOT / "docs/drawings").glob("*.svg")
    return {word for path in paths for word in _WORD.findall(path.read_text(encoding="utf-8"))}


def words_of_areas() -> set[str]:
    """Return the words of the folders of templates, in both numbers, without those that all areas share."""
    folders = {path.name for path in (ROOT / "templates/messages_app").iterdir() if path.is_dir()}
    words = {word for folder in folders - {"components", "lists", "charts"} for word in folder.split("_")}
    return words | {word.removesuffix("s") for word in words} | {"cause", "row"}
