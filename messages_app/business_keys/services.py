"""Creates, changes and deletes definitions of business keys, with an audit entry for each."""

from collections.abc import Mapping
from typing import TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.business_keys.models import MAX_NAME, KeyDefinition
from messages_app.business_keys.selectors import living_definitions
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.named_rows import audited_values
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.shared.key_extraction import compile_path
from messages_app.shared.visible_text import is_blank
from messages_app.shared.xml_paths import BadPath

statements = Statements("messages_app.business_keys")
# Two definitions at the same time could both pass the limit.
_DEFINITIONS = TransactionLock("hubconsole business_key definitions")

CHANGEABLE = ("name", "sensitive", "active")
# A search looks for a value in each definition.
MAX_DEFINITIONS = 200


class DefinitionNotFound(Exception):
    """No definition has this id."""


class DefinitionColumns(TypedDict, total=False):
    """The columns of a definition that users set. Values belong to a path, so a path is never changed."""

    service_name: str
    operation_name: str
    name: str
    path: str
    sensitive: bool
    active: bool


def create_definition(
    *, actor: audit.Actor, reason: str = "", **columns: Unpack[DefinitionColumns]
) -> KeyDefinition:
    """
    Store a definition. Its values are extracted from messages that arrive from now on.

    Raises:
        Problem: 400, a column is invalid.
    """
    definition = KeyDefinition(**columns)
    _check_definition(definition)
    with transaction.atomic():
        _DEFINITIONS.acquire()
        if living_definitions().count() >= MAX_DEFINITIONS:
            text = f"There are {MAX_DEFINITIONS} definitions already, which is the maximum."
            raise bad_field("name", "too_many", text)
        _save_definition(definition)
        definition.refresh_from_db()
        _record_change("create_business_key", definition, actor, reason, columns)
    return definition


def read_version(definition: KeyDefinition) -> str:
    """Return the version of a definition, for `change_definition`."""
    return version_of(definition, CHANGEABLE)


def change_definition(
    *,
    definition_id: int,
    actor: audit.Actor,
    reason: str = "",
    version: str | None = None,
    **columns: Unpack[DefinitionColumns],
) -> KeyDefinition:
    """
    Change the name of a definition, whether it is sensitive, or whether it is active.

    Args:
        version: of the definition that the caller has seen; None: it is not compared.

    Raises:
        Problem: 400, a column is invalid.
        DefinitionNotFound: no definition has this id.
        EditConflict: it has another version.
    """
    with transaction.atomic():
        definition = _lock_definition(definition_id)
        check_version(version, read_version(definition))
        for name, value in columns.items():
            setattr(definition, name, value)
        _check_definition(definition)
        _save_definition(definition, list(columns))
        _record_change("change_business_key", definition, actor, reason, columns)
    return definition


def delete_definition(*, definition_id: int, actor: audit.Actor, reason: str = "") -> None:
    """
    Delete a definition. Its values are not found from now on, and the pass deletes them.

    Raises:
        DefinitionNotFound: no definition has this id.
    """
    with transaction.atomic():
        definition = _lock_definition(definition_id)
        living_definitions().filter(pk=definition.pk).update(deleted_at=Now(), active=False)
        _record_change("delete_business_key", definition, actor, reason, {})


def check_path(path: str) -> None:
    """Raise Problem, 400, if a path is not supported."""
    try:
        compile_path(path)
    except BadPath as error:
        raise bad_field("path", "invalid_value", str(error)) from None


def _check_definition(definition: KeyDefinition) -> None:
    """Raise Problem, 400, if a definition cannot be stored."""
    if not definition.name.isprintable() or is_blank(definition.name) or len(definition.name) > MAX_NAME:
        text = f"name must have 1 to {MAX_NAME} characters on one line."
        raise bad_field("name", "invalid_value", text)
    check_path(definition.path)


def _save_definition(definition: KeyDefinition, names: list[str] | None = None) -> None:
    try:
        with transaction.atomic():
            definition.save(update_fields=names)
    except IntegrityError:
        text = "This operation already has a key with this name and path."
        raise bad_field("name", "duplicate", text) from None


def _lock_definition(definition_id: int) -> KeyDefinition:
    definition = living_definitions().select_for_update().filter(pk=definition_id).first()
    if definition is None:
        raise DefinitionNotFound(f"No business key has the id {definition_id}.")
    return definition


def _record_change(
    action: str,
    definition: KeyDefinition,
    actor: audit.Actor,
    reason: str,
    columns: Mapping[str, object],
) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind="business_key",
        subject=definition.pk,
        reason=reason,
        details={"definition_id": definition.pk, "definition": str(definition), **audited_values(columns)},
    )
