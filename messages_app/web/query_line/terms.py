"""The query line cut into terms, `key:value`, `key:"a value"` or a text alone, each with its place in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TERM = re.compile(
    r'(?:(?P<key>[^\s":]+):)?(?:"(?P<quoted>(?:[^"\\]|\\.)*)(?P<closing>"?)|(?P<bare>[^\s"]+))?', re.S
)
_BLANKS = re.compile(r"\s*")
_NEEDS_QUOTES = re.compile(r'[\s"*]|^$')


@dataclass(frozen=True, kw_only=True)
class Term:
    """
    One term of the line.

    Args:
        key: as it was written, empty for a text alone.
        value: what stands behind it, without quotes.
        quoted: whether the value stands in quotes.
        start, end: its place in the line, in characters, as of a slice.
        problem: what is wrong with its form, empty if nothing is.
    """

    key: str
    value: str
    quoted: bool
    start: int
    end: int
    problem: str = ""

    @property
    def value_start(self) -> int:
        """Where the value begins, its quote included."""
        return self.start + len(self.key) + bool(self.key)


def terms(line: str) -> Iterator[Term]:
    """Yield the terms of the line. Whatever stands in it is in one of them."""
    at = _after_blanks(line, 0)
    while at < len(line):
        match = _TERM.match(line, at)
        yield _term(line, match)
        at = _after_blanks(line, match.end())


def _term(line: str, match: re.Match) -> Term:
    quoted = match["quoted"]
    return Term(
        key=match["key"] or "",
        value=(match["bare"] or "") if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.S),
        quoted=quoted is not None,
        start=match.start(),
        end=match.end(),
        problem=_problem(line, match),
    )


def _problem(line: str, match: re.Match) -> str:
    if match["quoted"] is not None and not match["closing"]:
        return 'This quote is not closed: write " at the end of the text.'
    follower = line[match.end() : match.end() + 1]
    if follower and not follower.isspace():
        return 'Quotes go around the whole value, with a blank behind: key:"the value".'
    return ""


def _after_blanks(line: str, at: int) -> int:
    return _BLANKS.match(line, at).end()


def as_term(key: str, value: str) -> str:
    """Return a term as the line has it; a text alone, without a key, always stands in quotes."""
    if key and not _NEEDS_QUOTES.search(value):
        return f"{key}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}:"{escaped}"' if key else f'"{escaped}"'
