"""Finds a content by its kind and key, live or archived, and opens as much of it as its reader may see."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404

from messages_app.messages.contents.payloads import CHECKED_BYTES, PayloadView, payload_view
from messages_app.messages.contents.stored import (
    Beginning,
    ContentNotFound,
    HeldText,
    Source,
    StoredText,
    read_beginning,
)
from messages_app.messages.inspecting.tables import ARCHIVE, LIVE


@dataclass(frozen=True)
class Kind:
    """One kind of content: the table that holds it, its column, and what a page calls it."""

    table: str
    column: str
    title: str


KINDS = {
    "payload": Kind("message", "payload", "Payload"),
    "envelope": Kind("message", "envelope", "Envelope"),
    "request": Kind("request", "req_envelope", "Request"),
    "response": Kind("response", "res_envelope", "Response"),
}


@dataclass(frozen=True)
class Opened:
    """A content: what is known of it, and where it is read from, which never gives what is masked."""

    view: PayloadView
    source: Source


def open_content(kind: str, key: int, *, masked: bool) -> Opened:
    """
    Return a content as a reader sees it, who may read all of it or, when `masked`, its structure only.

    Raises:
        Http404: no row has this key.
    """
    beginning, rows = find_content(kind, key)
    view = payload_view(beginning.text, masked=masked, stored_bytes=beginning.stored_bytes)
    if view.masked or view.bytes <= CHECKED_BYTES:
        return Opened(view, HeldText((view.content or "").encode()))
    return Opened(view, StoredText(rows, KINDS[kind].column, view.bytes))


def find_content(kind: str, key: int) -> tuple[Beginning, QuerySet]:
    """
    Return the beginning of a content and the rows that hold it, live or archived.

    Raises:
        Http404: no row has this key.
    """
    one = KINDS[kind]
    # The live table once more at the end: a restore may move the row between the two looks.
    for tables in (LIVE, ARCHIVE, LIVE):
        rows = tables[one.table].objects.filter(pk=key)
        try:
            return read_beginning(rows, one.column), rows
        except ContentNotFound:
            continue
    raise Http404(f"There is no {one.title.lower()} {key}.")
