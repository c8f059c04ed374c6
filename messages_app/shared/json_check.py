"""
Checks JSON: whether it is well-formed, and whether all readers understand the same by it.

Python's reader accepts NaN and Infinity, which are not JSON, and keeps the last of several members with one
name. Other readers refuse them, or take the first. Source: RFC 8259
"""

import json
from collections.abc import Sequence
from typing import NoReturn

from messages_app.shared.tokens import Kind, json_tokens
from messages_app.shared.xml_parsing import Unreadable

_CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})
_MAX_QUOTED = 80


class _Suspicious(ValueError):
    """A number that JSON does not have, or a name that occurs twice in one object."""


def check_json_text(text: str) -> None:
    """
    Check a text.

    Raises:
        Unreadable: it is not well-formed, has a number that JSON does not have, or a name twice in one
            object; or it is nested too deeply to be checked.
    """
    try:
        # Numbers remain strings, because a number may have a million digits.
        json.loads(
            text.lstrip("\ufeff"),
            parse_int=str,
            parse_float=str,
            parse_constant=_refuse_constant,
            object_pairs_hook=_check_names,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"Not well-formed: {where}: {error.msg}.", error.lineno, error.colno) from error
    except _Suspicious:
        raise _find_fault(text) from None
    except RecursionError as error:
        raise Unreadable("Not checked: nested too deeply.") from error


def _refuse_constant(name: str) -> NoReturn:
    raise _Suspicious(name)


def _check_names(members: Sequence[tuple[str, object]]) -> None:
    if len({name for name, _ in members}) < len(members):
        raise _Suspicious


def _find_fault(text: str) -> Unreadable:
    """Return the first number that JSON does not have, or the first doubled name, with its place."""
    open_objects: list[set[str]] = []
    for token in json_tokens(text):
        if token.kind is Kind.VALUE and token.text in _CONSTANTS:
            return _fault_at(text, token.start, f"Not well-formed: {{}}: JSON has no {token.text}.")
        if token.kind is Kind.OPEN:
            open_objects.append(set())
        elif token.kind is Kind.CLOSE:
            open_objects.pop()
        elif token.kind is Kind.KEY:
            name = json.loads(token.text, strict=False)
            if name in open_objects[-1]:
                quoted = _quote_name(name)
                words = f"The name {quoted} is twice in one object: {{}}. Readers take different values."
                return _fault_at(text, token.start, words)
            open_objects[-1].add(name)
    return Unreadable("It has numbers that JSON does not have, or a name twice in one object.")


def _quote_name(name: str) -> str:
    short = name if len(name) <= _MAX_QUOTED else f"{name[:_MAX_QUOTED]}…"
    # Half of a surrogate pair cannot be sent.
    quoted = json.dumps(short, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return quoted.replace("{", "{{").replace("}", "}}")


def _fault_at(text: str, place: int, words: str) -> Unreadable:
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return Unreadable(words.format(f"line {line}, column {column}"), line, column)
