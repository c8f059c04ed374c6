"""
Loads XML documents and JSON lines as messages. Each document or line is loaded completely or not at all.

A msg_id in a JSON line is used if neither table has it; other msg_ids come from the hub's sequence. A message
with the correlation id of another message of the same source system is refused, as in the hub. A correlation
id that is only in the archive may be used again.

Source: docs/contributing/spec/cleverbus.md, "Duplicate correlation ids", "Archiving".
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from messages_app.core.clock import database_clock
from messages_app.core.files import MAX_LINE_BYTES, files_below, numbered_lines
from messages_app.core.statements import Statements
from messages_app.messages.attachment import Feature, refuse_if_attached
from messages_app.messages.fields import FILLED_BY_DATABASE, MODEL_FIELDS
from messages_app.messages.importers import conversations, json_lines
from messages_app.messages.importers.documents import Document, DocumentRefused, read_document
from messages_app.messages.models import Message

statements = Statements("messages_app.messages")


MAX_DOCUMENT_BYTES = 20 * 1024 * 1024
LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
FOLDER_SUFFIXES = LINE_SUFFIXES | {".xml"}
_ROWS_PER_TRANSACTION = 200

_NO_ROW = dict.fromkeys(MODEL_FIELDS)

# Called with one line of text that names the file, and the line, and the reason why it was not loaded.
OnRefused = Callable[[str], None]


class PathMissing(Exception):
    """A path does not exist. Nothing was loaded."""


class _Refused(Exception):
    """A document or line cannot be loaded. The text is the reason; the caller knows the place."""


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """The number of loaded messages, and of refused files and lines."""

    loaded: int
    refused: int


@dataclass(frozen=True, kw_only=True)
class _Item:
    """A message to load: its place, and the function that reads its row."""

    place: str
    row: Callable[[], dict[str, object]]


def load_paths(*, paths: Iterable[Path], on_refused: OnRefused, with_doctype: bool = False) -> LoadReport:
    """
    Load every document and line of `paths`: files, or folders with their *.xml, *.jsonl and *.ndjson.

    Folders are read with all folders below them: see core/files.py. A document is loaded before its answers,
    whatever the order of the files.

    Args:
        with_doctype: also load documents with a DTD, as text: nothing in it is resolved or loaded.

    Raises:
        PathMissing: a path does not exist; nothing was loaded.
        NotAttachedForThis: the hub's tables are not the console's own; nothing was loaded.
        django.db.Error: the database failed. Messages that were loaded before stay.
    """
    refuse_if_attached(Feature.LOAD)
    refusals = _Refusals(on_refused)
    files = _list_files(paths, refusals)
    loaded_at = database_clock()
    loaded = 0
    items = _read_items(files, refusals, loaded_at, partial(_read_document, with_doctype=with_doctype))
    while batch := list(islice(items, _ROWS_PER_TRANSACTION)):
        with transaction.atomic():
            loaded += sum(_load_item(item, refusals) for item in batch)
    return LoadReport(loaded=loaded, refused=refusals.count)


class _Refusals:
    """Reports and counts refusals."""

    def __init__(self, on_refused: OnRefused) -> None:
        self.count = 0
        self._on_refused = on_refused

    def add(self, place: str, reason: object) -> None:
        self.count += 1
        self._on_refused(f"{place}: {' '.join(str(reason).split())}")


def _list_files(paths: Iterable[Path], refusals: _Refusals) -> list[Path]:
    paths = list(paths)
    if missing := [path for path in paths if not path.exists()]:
        raise PathMissing(f"{missing[0]} does not exist.")
    files: list[Path] = []
    for path in paths:
        candidates = _files_of_folder(path, refusals) if path.is_dir() else [path]
        files += [file for file in candidates if file not in files]
    return files


def _files_of_folder(folder: Path, refusals: _Refusals) -> list[Path]:
    refused_before = refusals.count
    files = files_below(folder, FOLDER_SUFFIXES, on_left_out=lambda path, why: refusals.add(str(path), why))
    if not files and refusals.count == refused_before:
        refusals.add(str(folder), "no .xml, .jsonl or .ndjson file in it or in the folders below it.")
    return files


def _read_items(
    files: list[Path], refusals: _Refusals, loaded_at: datetime, read: Callable[[Path], Document]
) -> Iterator[_Item]:
    """Yield documents, each before its answers, then lines in the order of their files."""
    documents = [file for file in files if file.suffix.lower() not in LINE_SUFFIXES]
    yield from _document_items(documents, refusals, loaded_at, read)
    for file in files:
        if file.suffix.lower() in LINE_SUFFIXES:
            yield from _line_items(file, refusals, loaded_at)


def _document_items(
    files: list[Path], refusals: _Refusals, loaded_at: datetime, read: Callable[[Path], Document]
) -> Iterator[_Item]:
    """Read each file twice, first only for its order, so that only one document at a time is in memory."""
    ranks: list[tuple[int, Path]] = []
    for file in files:
        try:
            ranks.append((conversations.load_rank(read(file)), file))
        except _Refused as refusal:
            refusals.add(str(file), refusal)
    for _, file in sorted(ranks, key=lambda ranked: ranked[0]):
        yield _Item(
            place=str(file),
            row=partial(_document_row, file, loaded_at, read),
        )


def _document_row(file: Path, loaded_at: datetime, read: Callable[[Path], Document]) -> dict[str, object]:
    return conversations.message_row(read(file), loaded_at=loaded_at)


def _read_document(file: Path, *, with_doctype: bool) -> Document:
    try:
        if not file.is_file():
            raise _Refused("not a regular file.")
        size = file.stat().st_size
        if size > MAX_DOCUMENT_BYTES:
            raise _Refused(f"{size} bytes, {MAX_DOCUMENT_BYTES} is the limit.")
        return read_document(file.read_bytes(), with_doctype=with_doctype)
    except OSError as error:
        raise _Refused(f"cannot be read: {error.strerror}.") from None
    except DocumentRefused as refusal:
        raise _Refused(str(refusal)) from None


def _line_items(file: Path, refusals: _Refusals, loaded_at: datetime) -> Iterator[_Item]:
    if not file.is_file():
        refusals.add(str(file), "not a regular file.")
        return
    try:
        for number, line in numbered_lines(file):
            yield _Item(place=f"{file}, line {number}", row=partial(_line_row, line, loaded_at))
    except OSError as error:
        refusals.add(str(file), f"cannot be read: {error.strerror}.")


def _line_row(line: bytes | None, loaded_at: datetime) -> dict[str, object]:
    if line is None:
        raise _Refused(f"the line is longer than {MAX_LINE_BYTES} bytes.")
    try:
        return json_lines.message_row(line, loaded_at=loaded_at)
    except json_lines.LineRefused as refusal:
        raise _Refused(str(refusal)) from None


def _load_item(item: _Item, refusals: _Refusals) -> bool:
    """Insert a message, and return whether it was inserted."""
    try:
        _insert_message(_NO_ROW | item.row())
    except _Refused as refusal:
        refusals.add(item.place, refusal)
        return False
    return True


def _insert_message(row: dict[str, object]) -> None:
    with connection.cursor() as cursor:
        if isinstance(row["msg_id"], int):
            _keep_sequence_past(cursor, row["msg_id"])
        cursor.execute(_insert_statement(row), cast(dict[str, Any], row))
        if cursor.fetchone() is None:
            raise _Refused(_describe_conflict(row))


def _insert_statement(row: dict[str, object]) -> sql.Composed:
    """Return insert_message for a row, without the empty columns that the database fills."""
    filled = [name for name in FILLED_BY_DATABASE if row[name] is None]
    names = [name for name in row if name not in {"msg_id", *filled}]
    return sql.SQL(statements.read_text("insert_message")).format(
        columns=sql.SQL(", ").join(map(sql.Identifier, names)),
        values=sql.SQL(", ").join(map(sql.Placeholder, names)),
    )


def _keep_sequence_past(cursor: CursorWrapper, msg_id: int) -> None:
    """Make the hub's sequence continue after an id. A lock keeps the hub from using it in the meantime."""
    cursor.execute("SELECT last_value FROM hibernate_sequence")
    if cursor.fetchone()[0] >= msg_id:
        return
    cursor.execute("ALTER SEQUENCE hibernate_sequence INCREMENT BY 1")
    cursor.execute(
        "SELECT setval('hibernate_sequence', greatest(last_value, %s)) FROM hibernate_sequence", [msg_id]
    )


def _describe_conflict(row: dict[str, object]) -> str:
    same = Message.objects.filter(
        correlation_id=row["correlation_id"], source_system=row["source_system"]
    ).values_list("msg_id", flat=True)
    if (msg_id := same.first()) is not None:
        repeated, source = row["correlation_id"], row["source_system"]
        return f"repeats the correlation id {repeated!r} of {source} (message {msg_id})."
    return f"msg_id {row['msg_id']} is there already."
