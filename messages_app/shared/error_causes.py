"""
The table of causes: titles, and the phrases of error texts that name them.

It is in error_causes.toml. Imports no Django code, because executors use it.
"""

import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from importlib import resources
from typing import NamedTuple

from messages_app.shared.error_excerpts import Excerpt, place_of, split_error_name, split_hub_code
from messages_app.shared.error_hosts import find_host
from messages_app.shared.error_phrases import plain_words


class Keep(StrEnum):
    """Details that distinguish two failures with the same title."""

    NOTHING = "nothing"
    HOST = "host"
    NAMES = "names"
    FIELD = "field"
    PLACE = "place"
    ALERT = "alert"


class Kind(StrEnum):
    """The party that has to change something before a failed message can pass."""

    INFRASTRUCTURE = "infrastructure"
    DATA = "data"
    CODE = "code"
    UNKNOWN = "unknown"


class Row(NamedTuple):
    """
    A cause.

    Attributes:
        title: the cause in words.
        kind: never unknown.
        phrases: any of them in an error text, in lower case, names this cause.
        link: the words between title and host.
        is_shared: whether it is of something that all external systems depend on, such as the resolution of
            names, so that the failures of several systems have one cause.
    """

    title: str
    kind: Kind
    phrases: tuple[str, ...]
    keep: Keep
    link: str
    is_of_database: bool
    is_shared: bool


_TEXT = resources.files("messages_app.shared").joinpath("error_causes.toml").read_text(encoding="utf-8")
_TABLE = tomllib.loads(_TEXT)
CAUSES = tuple(
    Row(
        title=row["title"],
        kind=Kind(row["kind"]),
        phrases=tuple(row["phrases"]),
        keep=Keep(row.get("keep", "nothing")),
        link=row.get("link", ""),
        is_of_database=row.get("is_of_database", False),
        is_shared=row.get("is_shared", False),
    )
    for row in _TABLE["cause"]
)
# The names of databases, each with phrases that only its messages have.
DATABASES = tuple((row["name"], tuple(row["phrases"])) for row in _TABLE["database"])


def _pattern_of(phrases: Iterable[str]) -> str:
    """
    Return a pattern of any of the phrases, which share their beginnings.

    Most texts have none of them, and such a pattern is three times as fast as a search for each phrase.
    """
    endings: dict[str, list[str]] = {}
    for phrase in sorted(phrases):
        endings.setdefault(phrase[:1], []).append(phrase[1:])
    if "" in endings:
        return ""
    parts = [re.escape(first) + _pattern_of(rest) for first, rest in endings.items()]
    return f"(?:{'|'.join(parts)})"


_ANY_PHRASE = re.compile(_pattern_of(phrase for row in CAUSES for phrase in row.phrases))
_VENDOR_CODE = re.compile(
    r"\b(?:ORA-\d{1,6}|SQLCODE=-?\d{1,6}(?:, SQLSTATE=\w{5}, SQLERRMC=\d{1,3}(?![\w;]))?)", re.IGNORECASE
)
_NAMES = re.compile(
    r"\b((?i:constraint|key|index|column|table|relation|object|into|tablespace))\b[\s:(]{0,3}"
    r"(?:[\"'`]|(?=[\w$]+\.[\w$.]+|[A-Z][A-Z]*_\w+\b))([\w.$\"`'-]+)",
)
_NOUNS = {"into": "column", "relation": "table", "object": "table"}
# The way to a field: (through reference chain: a.Order["lines"]->a.Line["price"]), or Path 'order.price'.
_FIELDS = re.compile(
    r"""(?<=[\w)])\["([\w.-]{1,60})"\]"""
    r"""|\b(?:[Pp]ath:?|[Ff]ield|[Pp]roperty|[Ee]lement|[Cc]olumn|[Pp]arameter) ?['"`]"""
    r"""([\w$.\[\]/-]{1,100})['"`]""",
)
_MARKS = re.compile("[\"'`]")
_MAX_NAMES = 3
_INDEX_OF_DB2 = re.compile(r'identified by "(\d{1,3})" constrains table "([\w.$]{1,100})"')
# Oracle 23 says more than its predecessors, and PostgreSQL says where it was.
_CONTEXT = re.compile(r" violated on table | (?:Where|CONTEXT): ")
_SQLERRMC = re.compile(r"SQLERRMC=(?:(\d+);)?([A-Z][\w.$]+)")
_ALERT = re.compile(r"fatal alert: (\w+)|alert (?:number )?([a-z_ ]{3,30})|remote error: tls: ([a-z ]{3,40})")


def describe_known(excerpt: Excerpt) -> str:
    """Return the words of the table for an error, with what else distinguishes it; empty if it has none."""
    line = f"{excerpt.error_name}: {excerpt.message}"
    row = _find_row(line.lower())
    if row is None:
        return ""
    words = f"{row.title}{_details_of(row, line, excerpt)}"
    code = _VENDOR_CODE.search(line)
    vendor = code[0] if code else ""
    if row.is_of_database and not vendor:
        vendor = _find_database(excerpt.message.lower())
    return f"{words} ({vendor})" if vendor else words


def _find_row(lower: str) -> Row | None:
    if _ANY_PHRASE.search(lower) is None:
        return None
    for row in CAUSES:
        for phrase in row.phrases:
            if phrase in lower:
                return row
    return None


def _find_database(lower: str) -> str:
    return next((name for name, phrases in DATABASES if any(phrase in lower for phrase in phrases)), "")


def _details_of(row: Row, line: str, excerpt: Excerpt) -> str:
    if row.keep is Keep.HOST:
        host = find_host(line) or find_host(excerpt.outer)
        return f" {row.link} {host}".replace("  ", " ") if host else ""
    if row.keep is Keep.NAMES:
        return _find_names(line)
    if row.keep is Keep.ALERT:
        alert = _ALERT.search(line.lower())
        return f": {next(filter(None, alert.groups()))}" if alert else ""
    if row.keep is Keep.FIELD and (chain := [one or other for one, other in _FIELDS.findall(line)]):
        return f" in field {'.'.join(chain)}"
    return _find_place(excerpt) if row.keep in (Keep.PLACE, Keep.FIELD) else ""


def _find_place(excerpt: Excerpt) -> str:
    """Return what is null, where the error was thrown, or what the outer error says."""
    if "because" in excerpt.message:  # Java says what is null.
        return f": {plain_words(excerpt.message)}"
    if place := place_of(excerpt.frames):
        return f" in {place}"
    outer = plain_words(split_error_name(split_hub_code(excerpt.outer)[1])[1])
    return f": {outer}" if outer else ""


def _find_names(line: str) -> str:
    """Return the constraint, columns and tables that a message of a database names."""
    names: dict[str, str] = {}
    line = _CONTEXT.split(line, maxsplit=1)[0]
    if index := _INDEX_OF_DB2.search(line):
        return f" in index {index[1]} of {index[2]}"
    for noun, name in _NAMES.findall(line):
        plain = _MARKS.sub("", name).strip(".")
        if plain and plain.lower() not in ("constraint", "null", "value"):
            names.setdefault(plain, _NOUNS.get(noun.lower(), noun.lower()))
    if not names and (tokens := _SQLERRMC.search(line)):
        names[tokens[2]] = f"index {tokens[1]} of" if tokens[1] else "table"
    noun = next(iter(names.values()), "")
    return f" in {noun} {', '.join(list(names)[:_MAX_NAMES])}" if names else ""
