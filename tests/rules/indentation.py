"""
Finds closing tags of templates that are indented otherwise than their opening tags: of HTML and of Django.

Tags in the middle of a line are not compared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TAG = re.compile(
    r"\{#.*?#\}|\{% *(?P<word>\w+)(?:[^%]|%(?!\}))*%\}|<!--.*?-->"
    r"|<(?P<slash>/?)(?P<name>[a-zA-Z][\w-]*)"
    r"(?:\{%.*?%\}|\{\{.*?\}\}|\"[^\"]*\"|'[^']*'|[^<>\"'{])*?(?P<empty>/?)>",
    re.DOTALL,
)
_COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}", re.DOTALL)
_BLOCKS = {"autoescape", "block", "filter", "for", "if", "spaceless", "with"}
_BLOCKS |= {"column", "emptystate", "fact", "facts", "menu", "note", "panel", "table"}
_BRANCHES = {"else": ("if",), "elif": ("if",), "empty": ("for", "table"), "content": ("panel",)}
_WITHOUT_END = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass(frozen=True)
class _Tag:
    """A tag: the kinds it belongs to, its line, and its indentation if it is the first of its line."""

    kinds: tuple[str, ...]
    line: int
    indentation: int | None
    is_end: bool = False
    is_branch: bool = False


def _read_tags(text: str) -> Iterator[_Tag]:
    text = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for match in _TAG.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        before = text[start : match.start()]
        indentation = None if before.strip() else len(before)
        line = text.count("\n", 0, match.start()) + 1
        word, name = match["word"], match["name"]
        if word in _BRANCHES:
            yield _Tag(_BRANCHES[word], line, indentation, is_branch=True)
        elif word and word.removeprefix("end") in _BLOCKS:
            yield _Tag((word.removeprefix("end"),), line, indentation, is_end=word.startswith("end"))
        elif name and name not in _WITHOUT_END and not match["empty"]:
            yield _Tag((f"<{name}>",), line, indentation, is_end=match["slash"] == "/")


def misplaced_tags(path: Path) -> Iterator[str]:
    """Yield the place of each closing tag, and of each branch, that is not below its opening tag."""
    open_tags: list[_Tag] = []
    for tag in _read_tags(path.read_text(encoding="utf-8")):
        if not (tag.is_end or tag.is_branch):
            open_tags.append(tag)
            continue
        places = [place for place, opening in enumerate(open_tags) if opening.kinds[0] in tag.kinds]
        if not places:
            continue
        opening = open_tags.pop(places[-1]) if tag.is_end else open_tags[places[-1]]
        if None not in (tag.indentation, opening.indentation) and tag.indentation != opening.indentation:
            yield f"{path.name}:{tag.line} {opening.kinds[0]} is opened in line {opening.line}"
