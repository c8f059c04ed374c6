"""
The terms of the glossary, which pages explain where they use them: the name of a term, its meaning, and the
chapter about it.

The glossary of the manual is the only list. Source: docs/glossary.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from markdown_it.token import Token

from messages_app.manual.chapters import parse_markdown

_GLOSSARY = "glossary"
# The end of the first sentence.
_END = re.compile(r"(?<=\.) (?=[A-Z])")
# A link at the end of a meaning, as in "(rules)", which is shown on its own.
_LAST_LINK = re.compile(r"(?<!\s)\s*\([^()]*\)\.?$")


@dataclass(frozen=True, kw_only=True)
class Term:
    """
    A term of the glossary.

    Args:
        meaning: its first sentence.
        chapter: the chapter about it, such as "reference/job_kinds#outcomes".
    """

    meaning: str
    chapter: str


def find_term(name: str) -> Term | None:
    """Return a term by one of its names in lower case; None for other names, and without the manual."""
    return _read_glossary(Path(settings.BASE_DIR, "docs", f"{_GLOSSARY}.md")).get(name)


@lru_cache(maxsize=2)
def _read_glossary(file: Path) -> dict[str, Term]:
    if not file.is_file():
        return {}
    return dict(_parse_terms(parse_markdown(file.read_text(encoding="utf-8"))))


def _parse_terms(tokens: Sequence[Token]) -> Iterator[tuple[str, Term]]:
    """Yield each name with its term. A paragraph has one or more terms, each after its names in bold."""
    for token in tokens:
        children = token.children or []
        starts = [n for n, child in enumerate(children) if child.type == "strong_open"]
        for start, end in pairwise([*starts, len(children)]):
            term = _make_term(children[start + 3 : end])
            for name in re.split(r", |\s*[()]\s*", children[start + 1].content.lower()):
                if name:
                    yield name, term


def _make_term(parts: Sequence[Token]) -> Term:
    """Return the term of a text after its names. Its first sentence has the chapter, else the glossary."""
    text, chapter = "", _GLOSSARY
    for part in parts:
        text += " " if part.type in {"softbreak", "hardbreak"} else part.content
        if _END.search(text):
            break
        if part.type == "link_open":
            path, mark, anchor = str(part.attrGet("href")).partition("#")
            chapter = f"{path.removesuffix('.md') or _GLOSSARY}{mark}{anchor}"
    meaning = _LAST_LINK.sub("", _END.split(text)[0].removeprefix(":").strip()).rstrip(".")
    return Term(meaning=f"{meaning[:1].upper()}{meaning[1:]}.", chapter=chapter)
