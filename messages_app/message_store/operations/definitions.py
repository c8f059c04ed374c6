"""
Source definitions: stored, replaced, removed; each with its audit entry.

Source: docs/spec/interfaces.md, "Message store".
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.message_store.errors import DefinitionMissing, InvalidInput
from messages_app.message_store.extensions import processors, readers
from messages_app.message_store.models import MAX_NAME, SourceDefinition
from messages_app.message_store.processing.schemas import UnsafeSchema, check_schema

_MOST_KEY_FIELDS = 16


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a source definition says; its fields are those of the model."""

    system: str
    entity: str
    key_fields: Sequence[str]
    json_schema: Mapping[str, object] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    processor: str = ""


def define(*, definition: Definition, actor: audit.Actor, reason: str = "") -> tuple[SourceDefinition, bool]:
    """
    Store the definition of a system and entity, or replace it; return it and whether it is new.

    Messages that were processed by an earlier one stay as they are until they are processed again.

    Raises:
        InvalidInput: a field has a value that it may not have.
    """
    _check(definition)
    values = asdict(definition)
    key = {"system": values.pop("system"), "entity": values.pop("entity")}
    with transaction.atomic():
        before = SourceDefinition.objects.select_for_update().filter(**key).values(*values).first()
        found, is_new = SourceDefinition.objects.update_or_create(
            **key, defaults=values | {"changed_at": Now()}
        )
        details = key | {"before": before, "after": values}
        audit.record(
            actor=actor,
            action="define_source",
            subject_kind="definition",
            subject=found.pk,
            reason=reason,
            details=details,
        )
    found.refresh_from_db()
    return found, is_new


def remove_definition(*, definition_id: int, actor: audit.Actor, reason: str) -> None:
    """
    Remove a definition; its messages end in 23 or 24 from then on.

    Raises:
        DefinitionMissing: there is none of this id.
    """
    with transaction.atomic():
        found = SourceDefinition.objects.select_for_update().filter(pk=definition_id).first()
        if found is None:
            raise DefinitionMissing(f"No source definition has the id {definition_id}.")
        details = {"system": found.system, "entity": found.entity, "json_schema": found.json_schema}
        found.delete()
        audit.record(actor=actor, action="remove_source", reason=reason, details=details)


def _check(definition: Definition) -> None:
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
    if not 1 <= len(names) <= _MOST_KEY_FIELDS or len(set(names)) < len(names):
        text = f"key_fields must name 1 to {_MOST_KEY_FIELDS} fields, each once."
        raise InvalidInput("key_fields", "invalid_value", text)
    for name in names:
        _check_name("key_fields", name)


def _check_schema(schema: Mapping[str, object]) -> None:
    from jsonschema.exceptions import SchemaError  # here, as in processing/schemas.py

    try:
        check_schema(schema)
    except UnsafeSchema as error:
        raise InvalidInput("json_schema", "invalid_value", f"json_schema: {error}.") from None
    except (SchemaError, RecursionError) as error:
        where = getattr(error, "json_path", "$")
        text = f"json_schema is not a valid JSON Schema: {where}: {getattr(error, 'message', error)}"
        raise InvalidInput("json_schema", "invalid_value", text[:1000]) from None
