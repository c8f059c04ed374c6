"""
Messages that failed alike, and the records that messages wait for. Source: spec/other-systems.md 2.9.
"""

from dataclasses import dataclass

from messages_app.grouping.groups import Group, groups_alike
from messages_app.message_store.listing.summary import FENCE
from messages_app.message_store.sql import rows_of
from messages_app.message_store.states import Status

# The newest errors are grouped.
NEWEST_ERRORS = 5_000
_MOST_ENTITIES = 200


@dataclass(frozen=True, kw_only=True)
class MissingEntity:
    """
    An entity whose records messages wait for.

    Args:
        references: (message, record) pairs, up to FENCE + 1.
        given_up: of the pairs looked at those whose message is in 26; "reprocess all 26 of this entity" is
        the
            list filtered by status=26 and missing_entity.
        sample: a few of the keys.
    """

    entity: str
    references: int
    given_up: int
    sample: list[str]


def error_groups() -> list[Group]:
    """
    Return groups of the newest errors, the largest first.

    A group's key is (status, entity), its ids are identifiers of messages.
    """
    rows = rows_of("newest_errors", {"newest": NEWEST_ERRORS})
    return groups_alike(
        (identifier, at, (status, entity), text) for identifier, at, status, entity, text in rows
    )


def missing_entities() -> list[MissingEntity]:
    """Return the entities whose records are missing, by name."""
    values = {"fence": FENCE + 1, "most": _MOST_ENTITIES, "given_up": Status.REPROCESS_TIMEOUT}
    return [
        MissingEntity(entity=entity, references=references, given_up=given_up, sample=sample)
        for entity, references, given_up, sample in rows_of("missing_entities", values)
    ]
