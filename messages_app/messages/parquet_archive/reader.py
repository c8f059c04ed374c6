"""
Reads messages in the Parquet archive. The columns that lists show are in a table; the others are read from
the one row group of a file that has the message.

Source: docs/reference/archive.md, "Archive to Parquet".
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Model

from messages_app.core.problems import Problem
from messages_app.messages.fields import CONTENT_COLUMNS, LONG_COLUMNS, NARROW_COLUMNS, WIDE_COLUMNS
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
)
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from messages_app.messages.parquet_archive.place import archive_storage

# The maximum number of rows of one kind that are read for a message. Rows in a file are not read by page.
MAX_ROWS = 400

_TEXTS = {"req_envelope", "res_envelope"}

Row = TypeVar("Row", bound=Model)


class ArchiveUnreadable(Problem):
    """
    A file of the Parquet archive is missing, damaged or out of reach: 503, because it may come back from a
    backup, or the storage may answer again.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(503, "archive_unreadable", detail)


class ColdRows:
    """Reads the rows of one message from the files of its part."""

    def __init__(self, msg_id: int, part_id: int) -> None:
        self.msg_id = msg_id
        self.part_id = part_id
        # The text on a page that says why something is missing.
        self.trouble = ""

    @cached_property
    def paths(self) -> dict[str, str]:
        """The files, by live table."""
        return dict(ColdFile.objects.filter(part_id=self.part_id).values_list("table_name", "path"))

    def read_columns(self, names: Sequence[str]) -> dict[str, object]:
        """
        Return columns of the message.

        Raises:
            ArchiveUnreadable: its file is missing or damaged.
        """
        values = next(self._read("message", ("msg_id",), lambda key: key == self.msg_id, names), None)
        if values is None:
            raise ArchiveUnreadable(f"Message {self.msg_id} is missing from its archive file.")
        return values

    @cached_property
    def calls(self) -> list[ArchiveExternalCall]:
        """The external calls by their id. Raises ArchiveUnreadable."""
        return self._of_message(ArchiveExternalCall, "external_call")

    @cached_property
    def funnels(self) -> list[ArchiveFunnel]:
        """The funnel values by their id. Raises ArchiveUnreadable."""
        return self._of_message(ArchiveFunnel, "funnel")

    @cached_property
    def requests(self) -> list[ArchiveRequest]:
        """The requests by their id, each with content_bytes. Raises ArchiveUnreadable."""
        return self._of_message(ArchiveRequest, "request")

    @cached_property
    def responses(self) -> list[ArchiveResponse]:
        """The responses by their id, each with content_bytes; raises ArchiveUnreadable."""
        requests = {request.req_id for request in self.requests}

        def is_ours(msg_id: int | None, req_id: int | None) -> bool:
            return req_id in requests if req_id is not None else msg_id == self.msg_id

        return self._read_rows(ArchiveResponse, "response", ("msg_id", "req_id"), is_ours)

    def rows_for_page(self, name: str) -> list[Any]:
        """Return `calls`, `requests` ... for a page. If they cannot be read, set `trouble`."""
        try:
            return getattr(self, name)
        except ArchiveUnreadable as error:
            self.trouble = error.detail
            return []

    def _of_message(self, model: type[Row], table: str) -> list[Row]:
        return self._read_rows(model, table, ("msg_id",), lambda msg_id: msg_id == self.msg_id)

    def _read_rows(self, model: type[Row], table: str, columns: tuple[str, ...], is_met) -> list[Row]:
        names = [field.name for field in model._meta.concrete_fields]
        rows = islice(self._read(table, columns, is_met, names), MAX_ROWS)
        return sorted((_make_row(model, values) for values in rows), key=lambda row: row.pk)

    def _read(
        self, table: str, columns: tuple[str, ...], is_met, names: Collection[str]
    ) -> Iterator[dict[str, object]]:
        """Yield rows of a table's file, by column; columns that the file lacks are left out."""
        path = self.paths.get(table)
        if path is None:
            return
        with _open_reader() as (files, shapes, storage):
            file_columns = {column.name: column for column in files.read_columns(storage, path)}
            column_names = [name for name in names if name in file_columns]
            row_filter = files.RowFilter(columns, is_met)
            for row in files.read_rows(storage, path, rows=row_filter, names=column_names):
                yield shapes.as_python(dict(zip(column_names, row, strict=True)), file_columns.values())


def cold_message(msg_id: int) -> ArchiveMessage | None:
    """
    Return a message of the Parquet archive with its narrow columns, or None.

    Its `cold` reads the other columns and the rows that belong to the message.
    """
    row = ColdMessage.objects.filter(pk=msg_id).first()
    if row is None:
        return None
    message = ArchiveMessage(**{name: getattr(row, name) for name in NARROW_COLUMNS})
    message.cold = ColdRows(row.pk, row.part_id)
    return message


def sized_cold_message(msg_id: int) -> ArchiveMessage | None:
    """Return a message for its page, with payload_bytes, envelope_bytes and its wide columns, if readable."""
    message = cold_message(msg_id)
    if message is None:
        return None
    try:
        values = message.cold.read_columns(WIDE_COLUMNS)
    except ArchiveUnreadable as error:
        message.cold.trouble = error.detail
        message.contents_unread = True
        values = dict.fromkeys(WIDE_COLUMNS)
    for name in LONG_COLUMNS:
        setattr(message, name, values.get(name))
    for name in CONTENT_COLUMNS:
        setattr(message, f"{name}_bytes", _bytes_of(values.get(name)))
    return message


def cold_rows(message: Model) -> ColdRows | None:
    """Return the reader of a message in files, or None for a message in tables."""
    return getattr(message, "cold", None)


def fill_columns(message: ArchiveMessage, names: Sequence[str]) -> None:
    """
    Read further columns of a message in the Parquet archive.

    Raises:
        ArchiveUnreadable: its file is missing or damaged.
    """
    if not names:
        return
    for name, value in message.cold.read_columns(names).items():
        setattr(message, name, value)


def _make_row(model: type[Row], values: dict[str, object]) -> Row:
    row = model(**values)
    for name in _TEXTS & values.keys():
        setattr(row, "content_bytes", _bytes_of(values[name]))  # noqa: B010 - the model has no such column
    return row


def _bytes_of(text: object) -> int | None:
    return len(text.encode()) if isinstance(text, str) else None


@contextmanager
def _open_reader() -> Iterator[tuple]:
    """Provide the reader of files. Raise ArchiveUnreadable for a file that it cannot read."""
    # Imported here, because it costs 40 MB, which a process that reads no file saves.
    from spark_tasks.parquet import column_types, files
    from spark_tasks.storage.faults import StorageFault

    try:
        yield files, column_types, archive_storage()
    except files.Unreadable as error:
        raise ArchiveUnreadable(f"{error} Restore it from a backup.") from error
    except StorageFault as error:
        raise ArchiveUnreadable(f"The archive cannot be read at the moment. {error}") from error
