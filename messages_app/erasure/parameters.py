"""
The input of users: filters of jobs, schedules and saved views, stored answers, notes on failures.

If a row must stay, the key is replaced in it. All of these tables are small and are read completely.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from django.db.models import Model
from django.http import QueryDict

from messages_app.access.models import IdempotencyKey, PersonSettings
from messages_app.access.places import read_place
from messages_app.erasure.keys import Key
from messages_app.erasure.rows import ids_of
from messages_app.erasure.run import Changed, Erasure
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.services import forget_schedule
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.listing.models import SavedView
from messages_app.shared.job_states import FINAL_STATES, JobState

M = TypeVar("M", bound=Model)
_OF_JOB = ("filter", "options", "report", "reason", "error")
_OF_GROUP = ("summary", "example", "ticket", "note")


def erase_parameters(erasure: Erasure) -> None:
    """Erase the key from the input of users. A job that has not ended keeps its parameters."""
    key = erasure.key
    values = {"key": key.value, "in_json": key.in_json}
    for job in _rows_of(Job, ids_of("jobs_with", values)):
        _erase_from_job(erasure, job)
    for answer in _rows_of(IdempotencyKey, ids_of("answers_with", values)):
        _replace_key(erasure, answer, ("body", "key"))
    for group in _rows_of(FailureGroup, ids_of("groups_with", values)):
        _replace_key(erasure, group, _OF_GROUP)
    for schedule in JobSchedule.objects.order_by("pk"):
        if changes_of(key, schedule, ("filter", "options", "reason", "last_outcome")):
            _remove_row(erasure, schedule, partial(forget_schedule, schedule.pk))
    for view in SavedView.objects.order_by("pk"):
        if _has_key(key, view):
            _remove_row(erasure, view, view.delete)
    for person in PersonSettings.objects.order_by("pk"):
        _drop_pins(erasure, person)


def _drop_pins(erasure: Erasure, person: PersonSettings) -> None:
    """Remove pins of pages that have the key in their address."""
    pins = [address for address in person.pins if not _is_place_of(erasure.key, address)]
    write_changes(erasure, person, {"pins": pins} if pins != person.pins else {})


def _is_place_of(key: Key, address: str) -> bool:
    place = read_place(address)
    return place is not None and key.remove_from(place.key) != place.key


def _rows_of(model: type[M], ids: list[int]) -> Iterable[M]:
    return model._default_manager.filter(pk__in=ids).order_by("pk")


def _erase_from_job(erasure: Erasure, job: Job) -> None:
    is_planned_dry_run = job.dry_run and job.state == JobState.PLANNED
    if job.state not in FINAL_STATES and not is_planned_dry_run:
        if changes_of(erasure.key, job, _OF_JOB):
            erasure.leave("job", job.pk, f"it is {job.state} and uses it: wait for that job, or stop it")
        return
    _replace_key(erasure, job, _OF_JOB)


def _replace_key(erasure: Erasure, row: Model, names: tuple[str, ...]) -> None:
    """Replace the key in columns of a row."""
    write_changes(erasure, row, changes_of(erasure.key, row, names))


def write_changes(erasure: Erasure, row: Model, changes: dict[str, object]) -> bool:
    """Change columns of a row, unless they have changed since they were read. Return whether it was done."""
    if not changes:
        return True
    before = {name: getattr(row, name) for name in changes}
    place = row._meta.db_table

    def write_row() -> None:
        with erasure.step() as erased:
            if type(row)._default_manager.filter(pk=row.pk, **before).update(**changes) != 1:
                raise Changed
            erased.add(place, [row.pk])

    is_done = erasure.attempt_step(write_row)
    if not is_done:
        erasure.leave(place, row.pk, "it has changed: run this again")
    return is_done


def _remove_row(erasure: Erasure, row: Model, remove: Callable[[], object]) -> None:
    place, key = row._meta.db_table, row.pk

    def write_row() -> None:
        with erasure.step() as erased:
            remove()
            erased.add(place, [key])
        row.pk = key  # Django clears it when it deletes the row.

    if not erasure.attempt_step(write_row):
        erasure.leave(place, key, "it is locked: run this again")


def changes_of(key: Key, row: Model, names: tuple[str, ...]) -> dict[str, object]:
    """Return the columns that contain the key, with the key replaced."""
    values = {name: (getattr(row, name), key.remove_from(getattr(row, name))) for name in names}
    return {
        name: _fit_column(row, name, after) for name, (before, after) in values.items() if before != after
    }


def _fit_column(row: Model, name: str, value: object) -> object:
    """Cut a text that the replaced key has made longer than its column."""
    most = getattr(row._meta.get_field(name), "max_length", None)
    return value[:most] if isinstance(value, str) and most else value


def _has_key(key: Key, view: SavedView) -> bool:
    values = [value for _, texts in QueryDict(view.query).lists() for value in texts]
    return key.remove_from([view.name, *values]) != [view.name, *values]
