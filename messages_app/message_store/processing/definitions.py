"""Source definitions as an attempt uses them. Source: spec/other-systems.md 2.5 step 2."""

from functools import lru_cache
from typing import TYPE_CHECKING

from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.processing.schemas import linear_validator
from messages_app.message_store.refusals import AttemptFailed
from messages_app.message_store.states import Status

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# The system of messages that name none.
ANY_SYSTEM = "*"


def definition_of(system: str | None, entity: str | None) -> SourceDefinition:
    """
    Return what says how to read a message.

    A message without system has the definition of "*"; without one, that of the only system that has its
    entity. Source: the seed ("a default based on the entity").

    Raises:
        AttemptFailed: 22, it names no entity; 23, no definition has its system; 24, none of it has its
        entity.
    """
    if not entity:
        raise AttemptFailed(Status.MESSAGE_INVALID, ["The message names no entity."])
    found = SourceDefinition.objects.filter(system=system or ANY_SYSTEM, entity=entity).first()
    if found is None and not system:
        found = _only_one(entity)
    if found is not None:
        return found
    name = system or ANY_SYSTEM
    if not SourceDefinition.objects.filter(system=name).exists():
        raise AttemptFailed(Status.SYSTEM_NOT_FOUND, [f"No source definition has the system {name!r}."])
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
