"""
Checks of option values, and the valid values as JSON Schema. A check returns None, or (code, sentence).

Values come from JSON, forms and stored jobs, so they may have any type and any size.
Source: docs/contributing/spec/bad_input.md, "Jobs".
"""

from collections.abc import Callable, Mapping
from typing import TypeGuard

from messages_app.core.filters.address import as_query, is_storable
from messages_app.core.parameters import MAX_ID
from messages_app.core.problems import Problem
from messages_app.messages.filters.message_filter import ARCHIVED, CONTENT, parse_message_filter

Fault = tuple[str, str] | None
Check = Callable[[object], Fault]
Shape = Mapping[str, object]

MAX_MONTHS = 1200
MIN_RATE, MAX_RATE = 0.01, 100_000  # messages per second
MAX_CANARY = 10_000  # messages
MAX_NAMES, MAX_NAME = 50, 255

# The values that the checks below accept, as JSON Schema.
MONTHS: Shape = {"type": "integer", "minimum": 1, "maximum": MAX_MONTHS}
CANARY: Shape = {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_CANARY}
RATE: Shape = {"type": ["number", "null"], "minimum": MIN_RATE, "maximum": MAX_RATE}
SHARE: Shape = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
DEFINITION: Shape = {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_ID}
FLAG: Shape = {"type": "boolean"}
NAMES: Shape = {
    "type": ["array", "null"],
    "items": {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
    "maxItems": MAX_NAMES,
}


def check_months(value: object) -> Fault:
    return _whole_number(value, what="months", most=MAX_MONTHS)


def check_count(value: object) -> Fault:
    if not isinstance(value, int) or isinstance(value, bool):
        return "invalid_value", "Enter a whole number of messages."
    if not 0 <= value <= MAX_ID:
        return "out_of_range", f"Must be from 0 to {MAX_ID} messages."
    return None


def check_definition(value: object) -> Fault:
    """Check the id of a business key; None: all keys."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        return "invalid_value", "Enter the id of a business key."
    if not 1 <= value <= MAX_ID:
        return "out_of_range", f"Must be from 1 to {MAX_ID}."
    return None


def check_canary(value: object) -> Fault:
    return None if value is None else _whole_number(value, what="messages", most=MAX_CANARY)


def check_rate(value: object) -> Fault:
    if value is None:
        return None
    if not _is_number(value):
        return "invalid_value", "Enter a number of messages per second."
    if not MIN_RATE <= value <= MAX_RATE:
        return "out_of_range", f"Must be from {MIN_RATE} to {MAX_RATE} messages per second."
    return None


def check_share(value: object) -> Fault:
    if value is None:
        return None
    if not _is_number(value):
        return "invalid_value", "Enter a number from 0 to 1."
    if not 0 <= value <= 1:
        return "out_of_range", "Must be from 0 to 1; 0.2 means 20 %."
    return None


def check_flag(value: object) -> Fault:
    return None if isinstance(value, bool) else ("invalid_value", "Must be true or false.")


def check_names(value: object) -> Fault:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        return "invalid_value", "Must be a list of names."
    if len(value) > MAX_NAMES or any(len(each) > MAX_NAME for each in value):
        return "out_of_range", f"At most {MAX_NAMES} names, of {MAX_NAME} characters each."
    if not all(is_storable(each) and "\0" not in each for each in value):
        return "invalid_value", "The names must be UTF-8 without NUL."
    return None


def check_compared(value: object) -> Fault:
    """Check a filter of live messages, which may not search payloads: users without that right see it."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        return "invalid_value", "Must be a filter of messages with at least one name, or null."
    if not all(_is_address_value(each) for each in value.values()):
        return "invalid_value", "The values of the filter must be text, numbers or lists of them."
    try:
        parsed = parse_message_filter(as_query(value), user=None, other_parameters=())
    except Problem as problem:
        error = problem.errors[0]
        return error.code, f"{error.field}: {error.message.removeprefix(f'{error.field}: ')}"
    for name in (ARCHIVED, CONTENT):
        if name in parsed.values:
            return "invalid_value", f"{name}: not allowed in the filter to compare with."
    return None


def _is_address_value(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(not isinstance(each, list) and _is_address_value(each) for each in value)
    return (isinstance(value, str) and is_storable(value)) or type(value) in {int, bool}


def one_of(*choices: str) -> Check:
    """Return the check of an option with a fixed list of values."""

    def check(value: object) -> Fault:
        if isinstance(value, str) and value in choices:
            return None
        return "invalid_value", f"One of: {', '.join(choices)}."

    return check


def _whole_number(value: object, *, what: str, most: int) -> Fault:
    if not isinstance(value, int) or isinstance(value, bool):
        return "invalid_value", f"Enter a whole number of {what}."
    if not 1 <= value <= most:
        return "out_of_range", f"Must be from 1 to {most} {what}."
    return None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
