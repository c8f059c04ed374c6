"""
Extracts business keys from payloads: the one rule for the pass over new messages, for previews, and for the
executors of jobs that read the whole history.

A fault of a payload or a path is an outcome and not an error, so one message never stops the others.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from messages_app.shared.json_paths import compile_json_path
from messages_app.shared.xml_parsing import BLANKS, CHECKED_BYTES, Unreadable, parse_xml
from messages_app.shared.xml_paths import BadPath, compile_xml_path, drop_namespaces

# A longer value is a text and not a key.
MAX_VALUE = 200
# A message has at most this many values of one key; the others are left out and counted.
MAX_VALUES = 100


class Fault(StrEnum):
    """Why a message has no value of a key, or not all of its values."""

    UNREADABLE = "unreadable"
    MISSING = "missing"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Path:
    """A path of a definition. `key` is the id of the definition."""

    key: int
    text: str


@dataclass
class Extract:
    """
    The values of one message by the id of the definition, and the faults.

    Attributes:
        problems: by id, the fault and a sentence without any value of the payload.
    """

    values: dict[int, list[str]] = field(default_factory=dict)
    problems: dict[int, tuple[Fault, str]] = field(default_factory=dict)


@cache
def compile_path(path: str) -> Callable[[Any], Iterator[str]]:
    """
    Return the function that reads the values of a path: JSONPath if it begins with $, otherwise XPath.

    Raises:
        BadPath: the path is not valid or not supported.
    """
    return compile_json_path(path) if is_json_path(path) else compile_xml_path(path)


def is_json_path(path: str) -> bool:
    """Whether a path reads JSON."""
    return path.startswith("$")


def extract_values(payload: str | None, paths: Iterable[Path]) -> Extract:
    """
    Return the values of some paths in one payload.

    Args:
        payload: the text; None: it is too large to be read.
    """
    extract = Extract()
    roots: dict[bool, object] = {}
    for path in paths:
        is_json = is_json_path(path.text)
        try:
            if is_json not in roots:
                roots[is_json] = parse_payload(payload, is_json=is_json)
            root = roots[is_json]
            if isinstance(root, Unreadable):
                raise root
            texts = list(compile_path(path.text)(root))
        except Unreadable as error:
            roots[is_json] = error
            extract.problems[path.key] = (Fault.UNREADABLE, str(error))
        except BadPath as error:
            extract.problems[path.key] = (Fault.UNREADABLE, f"Bad path. {error}")
        except Exception as error:
            extract.problems[path.key] = (Fault.UNREADABLE, f"Not read: {type(error).__name__}.")
        else:
            _add_values(extract, path.key, texts)
    return extract


def parse_payload(payload: str | None, *, is_json: bool) -> Any:
    """
    Return the tree of an XML payload, without namespaces, or the value of a JSON payload, with numbers as
    texts.

    Args:
        payload: the text; None: it is too large to be read.

    Raises:
        Unreadable: it cannot be read. The message does not quote it.
    """
    if payload is None or len(payload) > CHECKED_BYTES:
        raise Unreadable("The payload is too large.")
    if not is_json:
        return drop_namespaces(_parse_xml(payload))
    try:
        return json.loads(payload.lstrip(BLANKS), parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        raise Unreadable(f"Not JSON: line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise Unreadable("Nested too deeply.") from None


def _parse_xml(payload: str) -> Any:
    if not payload.lstrip(BLANKS).startswith("<"):
        raise Unreadable("Not XML.")
    try:
        return parse_xml(payload, size=len(payload.encode("utf-8", "replace")))
    except Unreadable as error:
        # The parser's own words may quote the payload.
        where = f": line {error.line}, column {error.column}." if error.line else "."
        raise Unreadable("Has a DTD." if "DTD" in str(error) else f"Not well-formed XML{where}") from None


def _add_values(extract: Extract, key: int, texts: list[str]) -> None:
    """Add the usable values once each, in the order of the payload."""
    values: Mapping[str, None] = dict.fromkeys(map(trim_value, texts))
    filled = [value for value in values if value]
    usable = [value for value in filled if is_usable(value)][:MAX_VALUES]
    if usable:
        extract.values[key] = usable
    if not filled:
        extract.problems[key] = (Fault.MISSING, "The path finds no value.")
    elif len(usable) < len(filled):
        text = f"A value is longer than {MAX_VALUE} characters, cannot be stored, or is one too many."
        extract.problems[key] = (Fault.UNUSABLE, text)


def trim_value(text: str) -> str:
    """Return a value as it is stored, without blanks around it and with single ones in it."""
    return " ".join(text.split())


def is_usable(value: str) -> bool:
    """Whether a value can be stored as a key: PostgreSQL stores neither NUL nor half of a surrogate pair."""
    if len(value) > MAX_VALUE or "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
