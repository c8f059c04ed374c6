"""
After a backup was restored: what is in the list of erased rows, and is there again, is erased again.

The list has no values, only keys of rows and the digest of the subject. So the rows are read, and the value
in them that has this digest is the subject's key; a row that has got its id since then has none, and stays.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from django.db import connection
from django.http import QueryDict
from psycopg import sql

from messages_app.audit.digests import is_subject
from messages_app.core.statements import Statements
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.document_history.models import DocumentInDoubt, DocumentOutcome
from messages_app.erasure import journal
from messages_app.erasure.keys import Key
from messages_app.erasure.rows import ids_of
from messages_app.jobs.exports.files import folder_of
from messages_app.jobs.kinds.archive_location import storage
from messages_app.jobs.models import Job
from messages_app.jobs.schedules.models import JobSchedule
from messages_app.messages.list.models import SavedView
from messages_app.messages.models import ArchiveExternalCall, ArchiveFunnel, ExternalCall, Funnel
from messages_app.messages.parquet_archive.models import ColdFile
from spark_tasks.exports.files import remove_folder

statements = Statements("messages_app.erasure")


# Rows that are looked up at a time.
_PAGE = 1_000

Values = Iterable[object]


def keys_again(path: Path) -> list[Key]:
    """
    Return the keys of subjects in a list of which rows are there again.

    Raises:
        BadList: the file cannot be read, or is no such list.
    """
    listed: dict[tuple[str, str], list] = defaultdict(list)
    for line in list(journal.lines_of(path)):
        for place, rows in line.rows.items():
            listed[line.subject, place] += rows
    found: dict[str, Key] = {}
    for (subject, place), rows in listed.items():
        for value in _values(place, rows):
            if isinstance(value, str) and is_subject(subject, value):
                found[value] = Key(value)
    return list(found.values())


def remove_files_again(path: Path) -> int:
    """Remove the listed files that a backup brought back and that no table names; return how many."""
    lines = list(journal.lines_of(path))
    exports = {row for line in lines for row in line.rows.get("export", ()) if isinstance(row, int)}
    paths = {row for line in lines for row in line.rows.get("cold_file", ()) if isinstance(row, str)}
    return _remove_exports(exports) + _remove_archived(paths)


def _remove_exports(job_ids: set[int]) -> int:
    gone = Job.objects.filter(pk__in=job_ids, report__has_key="removed_at").values_list("pk", flat=True)
    folders = [folder_of(job_id) for job_id in gone if folder_of(job_id).is_dir()]
    for folder in folders:
        remove_folder(folder)
    return len(folders)


def _remove_archived(paths: set[str]) -> int:
    known = set(ColdFile.objects.filter(path__in=paths).values_list("path", flat=True))
    there = set(storage().paths()) & paths - known
    for path in there:
        storage().remove(path)
    return len(there)


def _values(place: str, rows: Sequence[object]) -> Iterator[object]:
    """Yield what names a subject in the rows of a place, as far as they are there."""
    read = _READERS.get(place)
    for start in range(0, len(rows) if read else 0, _PAGE):
        yield from read(rows[start : start + _PAGE])


def _of_messages(table: str) -> Callable[[Sequence[object]], Values]:
    def read(rows: Sequence[object]) -> Values:
        query = sql.SQL(statements.text("values_of_message")).format(table=sql.Identifier(table))
        with connection.cursor() as cursor:
            cursor.execute(query.as_string(connection.connection), {"ids": _numbers(rows)})
            return [row[0] for row in cursor.fetchall()]

    return read


def _of_column(model: type, key: str, column: str) -> Callable[[Sequence[object]], Values]:
    def read(rows: Sequence[object]) -> Values:
        keys = [row for row in rows if isinstance(row, str)] if key == "messageguid" else _numbers(rows)
        found = model.objects.filter(**{f"{key}__in": keys}).values_list(column, flat=True)
        return [str(value) for value in found]

    return read


def _of_documents(rows: Sequence[object]) -> Values:
    entries = [row for row in rows if isinstance(row, list) and len(row) == 2]
    triggers, times = zip(*entries, strict=True) if entries else ((), ())
    return ids_of("values_of_documents", {"triggers": list(triggers), "times": list(times)})


def _of_stored(rows: Sequence[object]) -> Values:
    for value in ids_of("values_of_stored", {"ids": _numbers(rows)}):
        yield value
        yield from _fields(value)


def _fields(record_key: str) -> Iterator[str]:
    """Yield what a record's key of one field is made of."""
    try:
        found = json.loads(record_key)
    except ValueError:
        return
    if isinstance(found, list) and len(found) == 1:
        yield str(found[0])


def _of_filters(model: type) -> Callable[[Sequence[object]], Values]:
    def read(rows: Sequence[object]) -> Values:
        for found in model.objects.filter(pk__in=_numbers(rows)).values_list("filter", flat=True):
            for value in found.values():
                yield from map(str, value if isinstance(value, list) else [value])

    return read


def _of_views(rows: Sequence[object]) -> Values:
    for query in SavedView.objects.filter(pk__in=_numbers(rows)).values_list("query", flat=True):
        yield from (value for _, found in QueryDict(query).lists() for value in found)


def _numbers(rows: Sequence[object]) -> list[int]:
    return [row for row in rows if isinstance(row, int) and 0 < row < 2**63]


_READERS: dict[str, Callable[[Sequence[object]], Values]] = {
    "message": _of_messages("message"),
    "archive_message": _of_messages("archive_message"),
    "cold_message": _of_messages("cold_message"),
    "external_call": _of_column(ExternalCall, "pk", "entity_id"),
    "archive_external_call": _of_column(ArchiveExternalCall, "pk", "entity_id"),
    "funnel": _of_column(Funnel, "pk", "funnel_value"),
    "archive_funnel": _of_column(ArchiveFunnel, "pk", "funnel_value"),
    "document_history": _of_documents,
    "document_in_doubt": _of_column(DocumentInDoubt, "pk", "identifier"),
    "document_outcome": _of_column(DocumentOutcome, "pk", "identifier"),
    "oscpmqueue": _of_column(CpMessage, "messageguid", "osid"),
    "cp_dispatch": _of_column(CpDispatch, "pk", "osid"),
    "message_store": _of_stored,
    "message_line": _of_stored,
    "job": _of_filters(Job),
    "job_schedule": _of_filters(JobSchedule),
    "saved_view": _of_views,
}
