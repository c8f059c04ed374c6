"""
Source definitions: the definition of a message, and its use by an attempt; stored, replaced, removed.

Source: docs/contributing/spec/message_store.md, "Processing" step 2; docs/contributing/spec/interfaces.md,
"Message store".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.problems import Problem
from messages_app.core.request_body import parse_strict_json
from messages_app.message_store.errors import AttemptFailed, DefinitionMissing, InvalidInput
from messages_app.message_store.extensions import (
    Source,
    UnknownExtension,
    UnreadableData,
    processors,
    readers,
)
from messages_app.message_store.file_store import PathRefused, path_of, read_bytes
from messages_app.message_store.models import MAX_NAME, SourceDefinition
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.schemas import (
    Schema,
    UnsafeSchema,
    check_schema,
    linear_validator,
)
from messages_app.shared.store_states import Status

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# The system of messages that name none.
ANY_SYSTEM = "*"


def definition_of(system: str | None, entity: str | None) -> SourceDefinition:
    """
    Return the definition by which a message is read.

    Without a system, the definition of "*" is used or, if it is missing, that of the only system that defines
    the entity. Source: docs/contributing/seeds/metrici.md, "message_store".

    Raises:
        AttemptFailed: 22, it names no entity; 23, no definition has its system; 24, none of it has its
        entity.
    """
    if not entity:
        raise AttemptFailed(Status.MESSAGE_INVALID, ["The message has no entity."])
    definition = SourceDefinition.objects.filter(system=system or ANY_SYSTEM, entity=entity).first()
    if definition is None and not system:
        definition = _only_one(entity)
    if definition is not None:
        return definition
    name = system or ANY_SYSTEM
    if not SourceDefinition.objects.filter(system=name).exists():
        raise AttemptFailed(
            Status.SYSTEM_NOT_FOUND, [f"There is no source definition for the system {name!r}."]
        )
    raise AttemptFailed(Status.ENTITY_NOT_FOUND, [f"The system {name!r} has no entity {entity!r}."])


def child_definition(parent: SourceDefinition, entity: str) -> SourceDefinition:
    """Return the definition of a child entity, of the same system. Raises AttemptFailed: 24."""
    definition = SourceDefinition.objects.filter(system=parent.system, entity=entity).first()
    if definition is None:
        text = (
            f"The system {parent.system!r} has no entity {entity!r}, of which {parent.entity!r} has children."
        )
        raise AttemptFailed(Status.ENTITY_NOT_FOUND, [text])
    return definition


def validator_of(definition: SourceDefinition) -> "Validator":
    """Return the validator for records of a definition. Raises UnsafeSchema: its schema cannot be checked."""
    return _make_validator(definition.pk, definition.changed_at, _Schema(definition.json_schema))


def _only_one(entity: str) -> SourceDefinition | None:
    definitions = list(SourceDefinition.objects.filter(entity=entity)[:2])
    return definitions[0] if len(definitions) == 1 else None


class _Schema:
    """A schema that a cache leaves out of its key."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=256)
def _make_validator(definition_id: int, changed_at: object, box: _Schema) -> "Validator":
    return linear_validator(box.schema)


# From a stored message to the rows of its data, by its reader.
#
# Source: docs/contributing/spec/message_store.md, "Processing" step 3.
def options_of(claim: ClaimedMessage) -> Mapping[str, object]:
    """Return a message's options. Raises AttemptFailed: 22, they are not a JSON object."""
    if claim.options is None or not claim.options.strip():
        return {}
    try:
        options = parse_strict_json(claim.options)
    except Problem as problem:
        raise AttemptFailed(Status.MESSAGE_INVALID, [f"options: {problem.detail}"]) from None
    if not isinstance(options, dict):
        raise AttemptFailed(Status.MESSAGE_INVALID, ["options must be a JSON object."])
    return options


def rows_of(
    claim: ClaimedMessage, definition: SourceDefinition, options: Mapping[str, object]
) -> Iterator[object]:
    """
    Yield the rows of a message's data, one for each record.

    Raises:
        AttemptFailed: 25, they cannot be read.
        Exception: any other error of a reader.
    """
    source = Source(
        identifier=claim.identifier, data=claim.data, path=_path_of_source(claim.file_path), options=options
    )
    if not definition.reader:
        yield from _read_json(source)
        return
    try:
        reader = readers.find(definition.reader)
        yield from reader(source)
    except (UnreadableData, UnknownExtension) as error:
        raise AttemptFailed(Status.DATA_INVALID, [str(error) or "The data cannot be read."]) from None


def _path_of_source(text: str | None) -> Path | None:
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
    text = _text_of_source(source)
    if text is None:
        raise AttemptFailed(Status.DATA_INVALID, ["The message has no data."])
    try:
        rows = parse_strict_json(text)
    except Problem as problem:
        raise AttemptFailed(Status.DATA_INVALID, [f"data: {problem.detail}"]) from None
    if not isinstance(rows, list):
        raise AttemptFailed(Status.DATA_INVALID, ["data must be an array of JSON objects."])
    return rows


def _text_of_source(source: Source) -> str | None:
    if source.data is not None or source.path is None:
        return source.data
    try:
        return read_bytes(source.path).decode("utf-8-sig")
    except PathRefused as refusal:
        raise AttemptFailed(Status.DATA_INVALID, [f"The file {refusal}"]) from None
    except (OSError, UnicodeDecodeError):
        raise AttemptFailed(Status.DATA_INVALID, ["The file cannot be read as UTF-8."]) from None


_MAX_KEY_FIELDS = 16


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A source definition, with the fields of the model."""

    system: str
    entity: str
    key_fields: Sequence[str]
    json_schema: Mapping[str, object] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    processor: str = ""


def read_version(definition: SourceDefinition) -> str:
    """Return the version of a stored definition, for `store_definition`."""
    return version_of(definition, [field.name for field in fields(Definition)])


def store_definition(
    *, definition: Definition, actor: audit.Actor, reason: str = "", version: str | None = None
) -> tuple[SourceDefinition, bool]:
    """
    Store the definition of a system and entity, or replace it; return it and whether it is new.

    Messages that were processed by an earlier definition stay unchanged until they are reprocessed.

    Args:
        version: of the definition that the caller has seen; None: it is not compared.

    Raises:
        InvalidInput: a field has an invalid value.
        EditConflict: the stored definition has another version, or was removed.
    """
    _check_definition(definition)
    values = asdict(definition)
    key = {"system": values.pop("system"), "entity": values.pop("entity")}
    with transaction.atomic():
        stored = SourceDefinition.objects.select_for_update().filter(**key).first()
        check_version(version, read_version(stored) if stored else "")
        before = {name: getattr(stored, name) for name in values} if stored else None
        row, is_new = SourceDefinition.objects.update_or_create(
            **key, defaults=values | {"changed_at": Now()}
        )
        details = key | {"before": before, "after": values}
        audit.record_entry(
            actor=actor,
            action="define_source",
            subject_kind="definition",
            subject=row.pk,
            reason=reason,
            details=details,
        )
    row.refresh_from_db()
    return row, is_new


def remove_definition(*, definition_id: int, actor: audit.Actor, reason: str) -> None:
    """
    Remove a definition; its messages end in 23 or 24 from then on.

    Raises:
        DefinitionMissing: no definition has this id.
    """
    with transaction.atomic():
        definition = SourceDefinition.objects.select_for_update().filter(pk=definition_id).first()
        if definition is None:
            raise DefinitionMissing(f"No source definition has the id {definition_id}.")
        details = {name: getattr(definition, name) for name in ("system", "entity", "json_schema")}
        definition.delete()
        audit.record_entry(actor=actor, action="remove_source", reason=reason, details=details)


def _check_definition(definition: Definition) -> None:
    for name in ("system", "entity"):
        _check_name(name, getattr(definition, name))
    _check_schema(definition.json_schema)
    _check_keys(definition.key_fields)
    for name in ("references", "children"):
        for one, entity in getattr(definition, name).items():
            _check_name(name, one)
            _check_name(name, entity)
    for name, registry in (("reader", readers), ("processor", processors)):
        value = getattr(definition, name)
        if value and (problem := registry.problem_of(value)):
            raise InvalidInput(name, "invalid_value", problem)


def _check_name(field_name: str, value: object) -> None:
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        text = f"{field_name} must contain texts of 1 to {MAX_NAME} characters."
        raise InvalidInput(field_name, "invalid_value", text)


def _check_keys(names: Sequence[str]) -> None:
    if not 1 <= len(names) <= _MAX_KEY_FIELDS or len(set(names)) < len(names):
        text = f"key_fields must name 1 to {_MAX_KEY_FIELDS} fields, each once."
        raise InvalidInput("key_fields", "invalid_value", text)
    for name in names:
        _check_name("key_fields", name)


def _check_schema(schema: Mapping[str, object]) -> None:
    from jsonschema.exceptions import SchemaError  # here, as in services/schemas.py

    try:
        check_schema(schema)
    except UnsafeSchema as error:
        raise InvalidInput("json_schema", "invalid_value", f"json_schema: {error}.") from None
    except (SchemaError, RecursionError) as error:
        where = getattr(error, "json_path", "$")
        text = f"json_schema is not a valid JSON Schema: {where}: {getattr(error, 'message', error)}"
        raise InvalidInput("json_schema", "invalid_value", text[:1000]) from None
