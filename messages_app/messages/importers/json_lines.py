"""
Reads messages from JSON lines: one object per line, with the documented columns of the table message.

The checks follow from the model: names, types, lengths, and the columns that may be NULL. The default of
`state` is NEW, and that of `receive_timestamp` is the time of load. `source_system` is stored in upper case,
and a child without `parent_binding_type` is SOFT, as in the hub.

Source: docs/contributing/spec/cleverbus.md, "Table message", "Names in the data model".
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from django.db import models

from messages_app.messages.fields import FILLED_BY_DATABASE, MODEL_FIELDS
from messages_app.messages.importers.documents import FIRST_YEAR, LAST_YEAR
from messages_app.shared.message_states import MessageState, ParentBinding

# The largest id that JSON numbers represent exactly. The hub's sequence never gets that far.
MAX_GIVEN_ID = 2**53 - 1

_FILLED_AT_LOAD = {"msg_id", "state", "receive_timestamp"}
_REQUIRED = {
    name
    for name, field in MODEL_FIELDS.items()
    if not field.null and name not in _FILLED_AT_LOAD | FILLED_BY_DATABASE
}
_CODES = {"state": MessageState, "parent_binding_type": ParentBinding}


class LineRefused(Exception):
    """The line cannot become a message. The text names the field and the reason, in one line."""


def message_row(line: bytes, *, loaded_at: datetime) -> dict[str, object]:
    """
    Return the columns of the message in one line.

    Raises:
        LineRefused: the line is not a JSON object, or a column is unknown, missing, invalid or too long.
    """
    values = _parse_object(line)
    if unknown := sorted(set(values) - set(MODEL_FIELDS)):
        raise LineRefused(f"{unknown[0][:60]!r} is not a column of message.")
    if missing := sorted(_REQUIRED - set(values)):
        raise LineRefused(f"{missing[0]} is missing.")
    row: dict[str, object] = {"state": MessageState.NEW, "receive_timestamp": loaded_at}
    row |= {name: _check_value(name, value) for name, value in values.items()}
    row["source_system"] = str(row["source_system"]).upper()
    if row.get("parent_msg_id") is not None and row.get("parent_binding_type") is None:
        row["parent_binding_type"] = ParentBinding.SOFT
    return row


def _parse_object(line: bytes) -> dict[str, object]:
    try:
        values = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        raise LineRefused("the line is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise LineRefused(f"not JSON: {error.msg} (column {error.colno}).") from None
    except (RecursionError, ValueError):
        raise LineRefused("not JSON that a message can have.") from None
    if not isinstance(values, dict):
        raise LineRefused("not a JSON object.")
    return values


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise LineRefused(f"{repeated[:60]!r} is there twice.")
    return values


def _check_value(name: str, value: object) -> object:
    field = MODEL_FIELDS[name]
    if value is None:
        if field.null:
            return None
        raise LineRefused(f"{name} must not be null.")
    check = next(check for kind, check in _CHECKS if isinstance(field, kind))
    return check(name, value, field)


def _parse_text(name: str, value: object, field: models.Field) -> str:
    if not isinstance(value, str):
        raise LineRefused(f"{name} must be text.")
    if "\x00" in value or not _is_unicode(value):
        raise LineRefused(f"{name} holds a character that the database cannot store.")
    if not value.strip() and not field.null:
        raise LineRefused(f"{name} must not be empty.")
    if field.max_length is not None and len(value) > field.max_length:
        raise LineRefused(f"{name} is {len(value)} characters long, {field.max_length} is the limit.")
    if name in _CODES and value not in set(_CODES[name]):
        raise LineRefused(f"{name} must be one of {', '.join(_CODES[name])}, not {value!r}.")
    return value


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parse_bool(name: str, value: object, field: models.Field) -> bool:
    if not isinstance(value, bool):
        raise LineRefused(f"{name} must be true or false.")
    return value


def _parse_number(name: str, value: object, field: models.Field) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise LineRefused(f"{name} must be a whole number.")
    lowest, highest = (0, 2**31 - 1) if name == "failed_count" else (1, MAX_GIVEN_ID)
    if not lowest <= value <= highest:
        raise LineRefused(f"{name} must be from {lowest} to {highest}.")
    return value


def _parse_time(name: str, value: object, field: models.Field) -> datetime:
    if not isinstance(value, str):
        raise LineRefused(f"{name} must be an ISO 8601 time with offset.")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise LineRefused(f"{name} must be an ISO 8601 time with offset, not {value[:40]!r}.") from None
    if moment.tzinfo is None:
        raise LineRefused(f"{name} has no offset: {value[:40]!r}.")
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise LineRefused(f"{name} must be between {FIRST_YEAR} and {LAST_YEAR}.")
    return moment.astimezone(UTC)  # PostgreSQL refuses offsets of 16 hours and more


_Check = Callable[[str, object, models.Field], object]
_CHECKS: tuple[tuple[type[models.Field], _Check], ...] = (
    (models.CharField, _parse_text),
    (models.TextField, _parse_text),
    (models.BooleanField, _parse_bool),
    (models.IntegerField, _parse_number),
    (models.DateTimeField, _parse_time),
)
