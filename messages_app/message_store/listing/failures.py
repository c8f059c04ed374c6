"""
Messages that failed alike, and the records that messages wait for. Source: spec/other-systems.md 2.9.
"""

from dataclasses import dataclass

from messages_app.grouping.groups import Group, groups_alike
from messages_app.message_store.keys import plain_key, written_key
from messages_app.message_store.listing.summary import FENCE
from messages_app.message_store.sql import rows_of
from messages_app.message_store.states import Status

# The newest errors are grouped.
NEWEST_ERRORS = 5_000
_MOST_ENTITIES = 200
# Missing records on a page, and how many messages of each are looked at.
MISSING_PAGE, MISSING_FENCE = 50, 1_000


@dataclass(frozen=True, kw_only=True)
class MissingEntity:
    """
    An entity whose records messages wait for.

    Args:
        references: (message, record) pairs, up to FENCE + 1.
        given_up: of the pairs looked at those whose message is in 26; "reprocess all 26 of this entity" is
            the list filtered by status=26 and missing_entity.
        sample: a few of the keys.
    """

    entity: str
    references: int
    given_up: int
    sample: list[str]

    @property
    def plain_sample(self) -> list[str]:
        return [plain_key(key) for key in self.sample]


@dataclass(frozen=True, kw_only=True)
class MissingRecord:
    """
    A record that messages refer to, and that was not there at their last attempt.

    Args:
        record_key: as the store keeps it.
        messages: how many refer to it, up to MISSING_FENCE.
        waiting, given_up: how many of these wait for it (2), and gave up (26).
        has_come: there is a record of that key now.
    """

    entity: str
    record_key: str
    messages: int
    waiting: int
    given_up: int
    has_come: bool

    @property
    def name(self) -> str:
        return plain_key(self.record_key)

    @property
    def written(self) -> str:
        """The key as the filter missing_key takes it."""
        return written_key(self.record_key)

    @property
    def is_fenced(self) -> bool:
        """Whether more messages may refer to it than were looked at."""
        return self.messages >= MISSING_FENCE


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


def missing_records(
    *, entity: str | None = None, after: tuple[str, str] | None = None
) -> list[MissingRecord]:
    """
    Return the missing records by entity and key, one more than MISSING_PAGE where there are so many.

    Args:
        entity: of this entity alone.
        after: entity and key of the last one of the page before.
    """
    start = after if after is not None else (entity or "", "")
    values = {
        "entity": start[0],
        "record_key": start[1],
        "only": entity,
        "most": MISSING_PAGE + 1,
        "fence": MISSING_FENCE,
        "waiting": Status.REQUIRES_REPROCESSING,
        "given_up": Status.REPROCESS_TIMEOUT,
    }
    names = MissingRecord.__annotations__
    return [MissingRecord(**dict(zip(names, row, strict=True))) for row in rows_of("missing_keys", values)]
