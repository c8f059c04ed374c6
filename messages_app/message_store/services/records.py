"""
A message's data as records: read, checked against its schema, keyed.

All errors are found, not only the first (the log has them all, up to a limit). Pure but for looking up the
definitions of child entities.

Source: docs/contributing/spec/message_store.md, "Receiving" (data), "Processing" step 3.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referencing.exceptions import Unresolvable

from messages_app.core.time_budget import TimeIsOver, work_limit
from messages_app.message_store.errors import AttemptFailed
from messages_app.message_store.models import MAX_KEY, SourceDefinition
from messages_app.message_store.services.definitions import child_definition, validator_of
from messages_app.message_store.services.schemas import UnsafeSchema
from messages_app.shared.store_states import Status


def stored_key(values: Sequence[str | int]) -> str:
    """Return a key as records and references have it: a JSON array of its values."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))


def plain_key(record_key: str) -> str:
    """Return a stored key as people write it, several values with slashes; any other text unchanged."""
    values = _values_of_key(record_key)
    return record_key if values is None else " / ".join(map(str, values))


def keys_meant(text: str) -> list[str]:
    """Return the stored keys that a text may mean: a single value, or a key as it is stored."""
    if (values := _values_of_key(text)) is not None:
        return [stored_key(values)]
    meant = [stored_key([text])]
    if re.fullmatch("0|-?[1-9][0-9]*", text):
        meant.append(f"[{text}]")
    return meant


def written_key(record_key: str) -> str:
    """Return the shortest text that means a stored key to `keys_meant`."""
    values = _values_of_key(record_key)
    if values is None or len(values) != 1:
        return record_key
    text = str(values[0])
    return text if record_key in keys_meant(text) else record_key


def _values_of_key(text: str) -> list[str | int] | None:
    """Return the values of a stored key; None if the text is not a key."""
    try:
        values = json.loads(text) if text.startswith("[") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or not values:
        return None
    return values if all(isinstance(one, str | int) and not isinstance(one, bool) for one in values) else None


if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# Of one record against its schema.
CHECK_SECONDS = 5
_MAX_ERRORS = 1_000
_DEEPEST = 8
_MAX_RULE = 200


class CheckTookTooLong(TimeIsOver):
    """A record was not checked within CHECK_SECONDS."""


@dataclass(frozen=True, order=True)
class Key:
    """Names a record: its entity, and the values of its key fields as JSON."""

    entity: str
    text: str


def columns_of_keys(keys: Iterable[Key]) -> dict[str, list[str]]:
    """Return keys as statements take them: a list for each part."""
    keys = list(keys)
    return {"entities": [key.entity for key in keys], "keys": [key.text for key in keys]}


@dataclass(frozen=True, kw_only=True)
class Record:
    """One record to be written, and the records that it refers to."""

    key: Key
    data: Mapping[str, object]
    references: frozenset[Key]


@dataclass
class _Reading:
    """The records and errors that were read so far."""

    records: dict[Key, Record] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    definitions: dict[str, SourceDefinition] = field(default_factory=dict)

    def add_error(self, text: str) -> None:
        if len(self.errors) < _MAX_ERRORS:
            self.errors.append(text)


def records_of(definition: SourceDefinition, rows: Iterator[object]) -> list[Record]:
    """
    Return the records of a message with those of its child entities, the message's own entity first.

    Raises:
        AttemptFailed: 25 with every error, 24 where a child entity has no definition.
    """
    reading = _Reading()
    for number, row in enumerate(rows, start=1):
        try:
            _read_row(reading, definition, row, place=f"record {number}", depth=1)
        except CheckTookTooLong:
            reading.errors.append(f"record {number}: checking it took longer than {CHECK_SECONDS} seconds.")
            break
    if reading.errors:
        raise AttemptFailed(Status.DATA_INVALID, reading.errors)
    return sorted(reading.records.values(), key=lambda record: record.key.entity != definition.entity)


def key_text(values: Sequence[object]) -> str | None:
    """Return the key of the values; None unless all are texts or whole numbers."""
    parts = [value for value in values if isinstance(value, str | int) and not isinstance(value, bool)]
    if len(parts) < len(values):
        return None
    text = stored_key(parts)
    return text if len(text) <= MAX_KEY else None


def _read_row(
    reading: _Reading, definition: SourceDefinition, row: object, *, place: str, depth: int
) -> None:
    if not isinstance(row, Mapping):
        reading.add_error(f"{place}: not a JSON object.")
        return
    problems = list(_find_problems(definition, row))
    for problem in problems:
        reading.add_error(f"{place}: {problem}")
    if problems:
        return
    _keep_record(reading, definition, row, place)
    for name, entity in definition.children.items():
        _read_children(reading, definition, entity, row.get(name), place=f"{place}, {name}", depth=depth + 1)


def _find_problems(definition: SourceDefinition, row: Mapping[str, Any]) -> Iterator[str]:
    try:
        validator = validator_of(definition)
        # A schema can ask for exponential work, as by an anyOf within an anyOf that refers to itself.
        with work_limit(CHECK_SECONDS, error=CheckTookTooLong):
            errors = sorted(validator.iter_errors(row), key=lambda error: error.json_path)
    except UnsafeSchema as error:
        yield f"the schema cannot be used: {error}."
        return
    except Unresolvable as error:
        yield f"the schema has an unresolved reference: {error}."
        return
    except RecursionError:
        yield "the schema has circular references."
        return
    yield from map(_describe_error, errors)


def _describe_error(error: "ValidationError") -> str:
    """
    Return the error and its place, without the value, because users without access to the data read errors.
    """
    if error.validator == "required":
        return f"{error.json_path}: {error.message}."
    rule = json.dumps(error.validator_value, ensure_ascii=False)
    rule = rule if len(rule) <= _MAX_RULE else f"{rule[:_MAX_RULE]}..."
    return f'{error.json_path}: breaks "{error.validator}": {rule}.'


def _keep_record(
    reading: _Reading, definition: SourceDefinition, row: Mapping[str, object], place: str
) -> None:
    names = definition.key_fields
    missing = [name for name in names if row.get(name) is None]
    if missing:
        reading.add_error(f"{place}: the key field {missing[0]} is missing.")
        return
    text = key_text([row[name] for name in names])
    if text is None:
        reading.add_error(
            f"{place}: the key {', '.join(names)} must be texts or whole numbers of {MAX_KEY} characters."
        )
        return
    key = Key(definition.entity, text)
    if key in reading.records:
        reading.add_error(f"{place}: the key {text} appears twice.")
        return
    data = {name: value for name, value in row.items() if name not in definition.children}
    reading.records[key] = Record(
        key=key, data=data, references=frozenset(_references_of_record(reading, definition, row, place))
    )


def _references_of_record(
    reading: _Reading, definition: SourceDefinition, row: Mapping[str, object], place: str
) -> Iterator[Key]:
    """
    Yield the references of the record: a value, a list of values, or, for a key of several fields, a list of
    lists.
    """
    for name, entity in definition.references.items():
        value = row.get(name)
        if value is None:
            continue
        for one in value if isinstance(value, list) else [value]:
            text = key_text(one if isinstance(one, list) else [one])
            if text is None:
                reading.add_error(f"{place}: {name} is not a key of {entity}.")
            else:
                yield Key(entity, text)


def _read_children(
    reading: _Reading, parent: SourceDefinition, entity: str, rows: object, *, place: str, depth: int
) -> None:
    if rows is None:
        return
    if not isinstance(rows, list):
        reading.add_error(f"{place}: not a list of records of {entity}.")
        return
    if depth > _DEEPEST:
        reading.add_error(f"{place}: children can be nested at most {_DEEPEST} levels deep.")
        return
    definition = reading.definitions.get(entity)
    if definition is None:
        definition = reading.definitions[entity] = child_definition(parent, entity)
    for number, row in enumerate(rows, start=1):
        _read_row(reading, definition, row, place=f"{place} {number}", depth=depth)
