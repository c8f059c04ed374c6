"""Source definitions as an attempt uses them. Source: docs/spec/message_store.md, "Processing" step 2."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from messages_app.core.problems import Problem
from messages_app.core.request_body import strict_json
from messages_app.message_store.errors import AttemptFailed
from messages_app.message_store.extensions import Source, UnknownExtension, UnreadableData, readers
from messages_app.message_store.file_store import PathRefused, path_of, read_bytes
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.processing.begin import Taken
from messages_app.message_store.processing.schemas import linear_validator
from messages_app.shared.store_states import Status

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# The system of messages that name none.
ANY_SYSTEM = "*"


def definition_of(system: str | None, entity: str | None) -> SourceDefinition:
    """
    Return what says how to read a message.

    A message without system has the definition of "*"; without one, that of the only system that has its
    entity. Source: docs/seeds/metrici.md, "message_store".

    Raises:
        AttemptFailed: 22, it names no entity; 23, no definition has its system; 24, none of it has its
        entity.
    """
    if not entity:
        raise AttemptFailed(Status.MESSAGE_INVALID, ["The message has no entity."])
    found = SourceDefinition.objects.filter(system=system or ANY_SYSTEM, entity=entity).first()
    if found is None and not system:
        found = _only_one(entity)
    if found is not None:
        return found
    name = system or ANY_SYSTEM
    if not SourceDefinition.objects.filter(system=name).exists():
        raise AttemptFailed(
            Status.SYSTEM_NOT_FOUND, [f"There is no source definition for the system {name!r}."]
        )
    raise AttemptFailed(Status.ENTITY_NOT_FOUND, [f"The system {name!r} has no entity {entity!r}."])


def child_definition(parent: SourceDefinition, entity: str) -> SourceDefinition:
    """Return the definition of a child entity, of the same system. Raises AttemptFailed: 24."""
    found = SourceDefinition.objects.filter(system=parent.system, entity=entity).first()
    if found is None:
        text = (
            f"The system {parent.system!r} has no entity {entity!r}, of which {parent.entity!r} has children."
        )
        raise AttemptFailed(Status.ENTITY_NOT_FOUND, [text])
    return found


def validator_of(definition: SourceDefinition) -> "Validator":
    """Return what checks one record of a definition. Raises UnsafeSchema: its schema cannot be checked."""
    return _validator(definition.pk, definition.changed_at, _Schema(definition.json_schema))


def _only_one(entity: str) -> SourceDefinition | None:
    found = list(SourceDefinition.objects.filter(entity=entity)[:2])
    return found[0] if len(found) == 1 else None


class _Schema:
    """A schema that a cache leaves out of its key."""

    def __init__(self, schema: object) -> None:
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=256)
def _validator(definition_id: int, changed_at: object, kept: _Schema) -> "Validator":
    return linear_validator(kept.schema)


# From a stored message to the rows of its data, by its reader.
#
# Source: docs/spec/message_store.md, "Processing" step 3.


def options_of(taken: Taken) -> Mapping[str, object]:
    """Return a message's options. Raises AttemptFailed: 22, they are no JSON object."""
    if taken.options is None or not taken.options.strip():
        return {}
    try:
        found = strict_json(taken.options)
    except Problem as problem:
        raise AttemptFailed(Status.MESSAGE_INVALID, [f"options: {problem.detail}"]) from None
    if not isinstance(found, dict):
        raise AttemptFailed(Status.MESSAGE_INVALID, ["options must be a JSON object."])
    return found


def rows_of(taken: Taken, definition: SourceDefinition, options: Mapping[str, object]) -> Iterator[object]:
    """
    Yield the rows of a message's data, one for each record.

    Raises:
        AttemptFailed: 25, they cannot be read.
        Exception: whatever a reader raises as well.
    """
    source = Source(
        identifier=taken.identifier, data=taken.data, path=_path(taken.file_path), options=options
    )
    if not definition.reader:
        yield from _read_json(source)
        return
    try:
        reader = readers.called(definition.reader)
        yield from reader(source)
    except (UnreadableData, UnknownExtension) as error:
        raise AttemptFailed(Status.DATA_INVALID, [str(error) or "The data cannot be read."]) from None


def _path(text: str | None) -> Path | None:
    if text is None:
        return None
    try:
        return path_of(text)
    except PathRefused as refusal:
        raise AttemptFailed(Status.DATA_INVALID, [f"file_path {refusal}"]) from None
    except OSError as error:
        raise AttemptFailed(Status.DATA_INVALID, [f"file_path: {error.strerror}."]) from None


def _read_json(source: Source) -> list[object]:
    """Read an array of JSON objects, from the message or its file."""
    text = _text(source)
    if text is None:
        raise AttemptFailed(Status.DATA_INVALID, ["The message has no data."])
    try:
        rows = strict_json(text)
    except Problem as problem:
        raise AttemptFailed(Status.DATA_INVALID, [f"data: {problem.detail}"]) from None
    if not isinstance(rows, list):
        raise AttemptFailed(Status.DATA_INVALID, ["data must be an array of JSON objects."])
    return rows


def _text(source: Source) -> str | None:
    if source.data is not None or source.path is None:
        return source.data
    try:
        return read_bytes(source.path).decode("utf-8-sig")
    except PathRefused as refusal:
        raise AttemptFailed(Status.DATA_INVALID, [f"The file {refusal}"]) from None
    except (OSError, UnicodeDecodeError):
        raise AttemptFailed(Status.DATA_INVALID, ["The file cannot be read as UTF-8."]) from None
