"""The list of messages as a file, without their data."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace

from messages_app.message_store.listing.lines import ListedMessage, listed, message_page
from messages_app.message_store.states import name_of
from messages_app.web.lists.files import PAGE_SIZE, Row, listed_rows
from messages_app.web.paging import Page

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

    def fetch(cursor: str | None) -> Page:
        page = message_page(values=values, ordering=ordering, page_size=PAGE_SIZE, cursor=cursor)
        return replace(page, rows=[_row(message) for message in listed(page.rows)])

    return listed_rows(fetch, things="messages")


def _row(message: ListedMessage) -> SimpleNamespace:
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
