"""Finds a content by its kind and key, live or archived, and opens as much of it as its reader may see."""

from dataclasses import dataclass

from django.http import Http404

from messages_app.contents.opened import Opened, held, opened
from messages_app.contents.stored import Beginning, ContentNotFound, Source, StoredText, read_beginning
from messages_app.messages.cold.reading import cold_message
from messages_app.messages.inspecting.tables import ARCHIVE, LIVE


@dataclass(frozen=True)
class Kind:
    """One kind of content: the table that holds it, its column, and what a page calls it."""

    table: str
    column: str
    title: str


MESSAGE, REQUEST, RESPONSE = "message", "request", "response"
KINDS = {
    "payload": Kind(MESSAGE, "payload", "Payload"),
    "envelope": Kind(MESSAGE, "envelope", "Envelope"),
    "request": Kind(REQUEST, "req_envelope", "Request"),
    "response": Kind(RESPONSE, "res_envelope", "Response"),
}


def open_content(kind: str, key: int, *, masked: bool, msg_id: int | None = None) -> Opened:
    """
    Return a content as a reader sees it, who may read all of it or, when `masked`, its structure only.

    Args:
        msg_id: the message that it belongs to: only by that it is found in a file of the archive.

    Raises:
        Http404: no row has this key.
        ArchiveUnreadable: the file of the archive that it lies in is missing or damaged.
    """
    beginning, source = find_content(kind, key, msg_id=msg_id)
    return opened(beginning, source, masked=masked)


def find_content(kind: str, key: int, *, msg_id: int | None = None) -> tuple[Beginning, Source]:
    """
    Return the beginning of a content and the whole of it, live or archived.

    Raises:
        Http404: no row has this key.
        ArchiveUnreadable: the file of the archive that it lies in is missing or damaged.
    """
    one = KINDS[kind]
    # The live table once more at the end: a restore may move the row between the two looks.
    for tables in (LIVE, ARCHIVE, LIVE):
        rows = tables[one.table].objects.filter(pk=key)
        try:
            beginning = read_beginning(rows, one.column)
        except ContentNotFound:
            continue
        return beginning, StoredText(rows, one.column, beginning.stored_bytes or 0)
    found = _in_file(one, key, key if one.table == MESSAGE else msg_id)
    if found is None:
        raise Http404(f"There is no {one.title.lower()} {key}.")
    return found


def address_of(req_id: int, *, msg_id: int) -> str:
    """Return the address to which a request was sent, with its credentials; empty where it is gone."""
    for tables in (LIVE, ARCHIVE):
        row = tables[REQUEST].objects.filter(pk=req_id).only("uri").first()
        if row is not None:
            return row.uri
    message = cold_message(msg_id)
    rows = message.cold.requests if message else ()
    return next((row.uri for row in rows if row.pk == req_id), "")


def _in_file(kind: Kind, key: int, msg_id: int | None) -> tuple[Beginning, Source] | None:
    """Return a content that lies in a file of the archive; a file gives a text as a whole."""
    message = None if msg_id is None else cold_message(msg_id)
    if message is None:
        return None
    if kind.table == MESSAGE:
        text = message.cold.columns([kind.column])[kind.column]
    else:
        rows = message.cold.requests if kind.table == REQUEST else message.cold.responses
        row = next((row for row in rows if row.pk == key), None)
        if row is None:
            return None
        text = getattr(row, kind.column)
    return held(text)
