"""
Messages that failed with the same error, and the records that messages wait for.

Source: docs/contributing/spec/message_store.md, "Console".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from urllib.parse import quote, urlencode

from messages_app.core.lists.downloads import PAGE_SIZE, Row, listed_rows
from messages_app.core.pagination.paginator import Page
from messages_app.core.statements import Statements
from messages_app.message_store.selectors.messages import ListedMessage, listed_messages, message_page
from messages_app.message_store.selectors.summary import FENCE
from messages_app.message_store.services.records import plain_key, written_key
from messages_app.shared.failure_texts import Group, groups_alike
from messages_app.shared.store_states import Status, name_of

statements = Statements("messages_app.message_store")


# The newest errors are grouped.
NEWEST_ERRORS = 5_000
_MAX_ENTITIES = 200
# Missing records on a page, and how many messages of each are checked.
MISSING_PAGE, MISSING_FENCE = 50, 1_000


@dataclass(frozen=True, kw_only=True)
class MissingEntity:
    """
    An entity whose records messages wait for.

    Args:
        references: (message, record) pairs, up to FENCE + 1.
        given_up: of the pairs checked those whose message is in 26; "reprocess all 26 of this entity" is
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
    def query(self) -> str:
        """The filters of the messages that refer to it."""
        values = {"missing_entity": self.entity, "missing_key": written_key(self.record_key)}
        return urlencode(values, quote_via=quote)

    @property
    def is_fenced(self) -> bool:
        """Whether more messages may refer to it than were checked."""
        return self.messages >= MISSING_FENCE


def error_groups() -> list[Group]:
    """
    Return groups of the newest errors, the largest first.

    A group's key is (status, entity), its ids are identifiers of messages.
    """
    rows = statements.fetch_rows("newest_errors", {"newest": NEWEST_ERRORS})
    return groups_alike(
        (identifier, at, (status, entity), text) for identifier, at, status, entity, text in rows
    )


def missing_entities() -> list[MissingEntity]:
    """Return the entities whose records are missing, by name."""
    values = {"fence": FENCE + 1, "most": _MAX_ENTITIES, "given_up": Status.REPROCESS_TIMEOUT}
    return statements.fetch_records("missing_entities", values, MissingEntity)


def missing_records(
    *, entity: str | None = None, after: tuple[str, str] | None = None
) -> list[MissingRecord]:
    """
    Return the missing records by entity and key, up to MISSING_PAGE + 1.

    Args:
        entity: only of this entity.
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
    return statements.fetch_records("missing_keys", values, MissingRecord)


_OF_LINE = ("attempts", "next_attempt_timestamp", "muted_at", "message_timestamp")
_OF_STORE = ("source_system", "source_entity", "effective_timestamp", "user_name", "refresh", "file_path")
_OF_PROCESS = ("processed_timestamp", "error_message")
COLUMNS = ("message_identifier", "status", "status_name", *_OF_LINE, *_OF_STORE, *_OF_PROCESS)


def filtered_rows(values: Mapping[str, object], *, ordering: str | None) -> Iterator[Row | str]:
    """
    Yield the list's messages, and a note at the end where not all of them are there.

    Raises:
        Problem: 400, the list has no such order.
    """

    def fetch_part(cursor: str | None) -> Page:
        page = message_page(values=values, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)
        return replace(page, rows=[_row_of_message(message) for message in listed_messages(page.rows)])

    return listed_rows(fetch_part, things="messages")


def _row_of_message(message: ListedMessage) -> SimpleNamespace:
    """Return a message's columns; those of a row that is not there are empty."""
    line = message.line
    return SimpleNamespace(
        message_identifier=line.message_identifier,
        status=line.status,
        status_name="" if line.status is None else name_of(line.status),
        **{name: getattr(line, name) for name in _OF_LINE},
        **{name: getattr(message.store, name, None) for name in _OF_STORE},
        **{name: getattr(message.process, name, None) for name in _OF_PROCESS},
    )
