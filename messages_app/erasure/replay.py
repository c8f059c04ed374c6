"""
Erases rows of the journal again after a restored backup has brought them back.

The journal has no values, only keys of rows and the digest of the subject. So the rows are read, and the
value with this digest is the subject's key. A newer row with the same id has no such value, and stays.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path

from django.db.models import Model
from django.http import QueryDict

from messages_app.access.models import PersonSettings
from messages_app.access.places import read_place
from messages_app.audit.digests import is_subject
from messages_app.core.stores import installed_stores
from messages_app.erasure.business_keys import keep_values_out
from messages_app.erasure.journal import lines_of
from messages_app.erasure.keys import Key
from messages_app.erasure.rows import Reader, Values, valid_numbers
from messages_app.jobs.exports import export_storage, folder_of, paths_by_job
from messages_app.jobs.models import Job, JobSchedule
from messages_app.messages.attachment import Feature, refuse_if_attached
from messages_app.messages.listing.models import SavedView
from messages_app.messages.parquet_archive.models import ColdFile
from messages_app.messages.parquet_archive.place import archive_storage

# How many rows are looked up at a time.
_PAGE = 1_000


def keys_again(path: Path) -> list[Key]:
    """
    Return the keys of the journal's subjects that have rows again.

    Raises:
        BadList: the file cannot be read, or is not such a journal.
    """
    listed: dict[tuple[str, str], list] = defaultdict(list)
    for line in list(lines_of(path)):
        for place, rows in line.rows.items():
            listed[line.subject, place] += rows
    keys: dict[str, Key] = {}
    for (subject, place), rows in listed.items():
        for value in _iterate_values(place, rows):
            if isinstance(value, str) and is_subject(subject, value):
                keys[value] = Key(value)
    return list(keys.values())


def keep_values_out_again(path: Path) -> None:
    """Store the digests of the journal's erased values, so that none of them becomes a key again."""
    keep_values_out({row for line in lines_of(path) for row in line.rows.get("business_key_erased", ())})


def remove_files_again(path: Path) -> int:
    """
    Remove the listed files that a backup brought back and that no table names; return how many.

    Raises:
        NotAttachedForThis: the console is attached to a hub.
    """
    refuse_if_attached(Feature.ERASE)
    lines = list(lines_of(path))
    exports = {row for line in lines for row in line.rows.get("export", ()) if isinstance(row, int)}
    paths = {row for line in lines for row in line.rows.get("cold_file", ()) if isinstance(row, str)}
    return _remove_exports(exports) + _remove_archived(paths)


def _remove_exports(job_ids: set[int]) -> int:
    gone = Job.objects.filter(pk__in=job_ids, report__has_key="removed_at").values_list("pk", flat=True)
    storage = export_storage()
    returned = set(gone) & paths_by_job(storage).keys()
    for job_id in returned:
        storage.remove_folder(folder_of(job_id))
    return len(returned)


def _remove_archived(paths: set[str]) -> int:
    in_manifest = set(ColdFile.objects.filter(path__in=paths).values_list("path", flat=True))
    leftovers = set(archive_storage().list_paths()) & paths - in_manifest
    return len(leftovers) - len(archive_storage().remove_each(leftovers))


def _iterate_values(place: str, rows: Sequence[object]) -> Iterator[object]:
    """Yield the values that may be a subject's key in the existing rows of a table."""
    read = _make_readers().get(place)
    if read is None:
        return
    for start in range(0, len(rows), _PAGE):
        yield from read(rows[start : start + _PAGE])


def _make_filter_reader(model: type[Model]) -> Reader:
    def read(rows: Sequence[object]) -> Values:
        for stored in model._default_manager.filter(pk__in=valid_numbers(rows)).values_list(
            "filter", flat=True
        ):
            for value in stored.values():
                yield from map(str, value if isinstance(value, list) else [value])

    return read


def _read_view_values(rows: Sequence[object]) -> Values:
    for query in SavedView.objects.filter(pk__in=valid_numbers(rows)).values_list("query", flat=True):
        yield from (value for _, texts in QueryDict(query).lists() for value in texts)


def _read_pinned_keys(rows: Sequence[object]) -> Values:
    for pins in PersonSettings.objects.filter(pk__in=valid_numbers(rows)).values_list("pins", flat=True):
        yield from (place.key for address in pins if (place := read_place(address)))


_OF_CONSOLE: Mapping[str, Reader] = {
    "job": _make_filter_reader(Job),
    "job_schedule": _make_filter_reader(JobSchedule),
    "saved_view": _read_view_values,
    "person_settings": _read_pinned_keys,
}


def _make_readers() -> Mapping[str, Reader]:
    """Return the readers of values that may be a subject's key, by table."""
    of_stores = (import_module(store.erasure).READERS for store in installed_stores())
    return reduce(or_, of_stores, _OF_CONSOLE)
