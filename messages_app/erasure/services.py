"""A complete run: all stores, then all stores again to check that only the reported rows are left."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TypeVar

from django.db.models import Model
from django.http import QueryDict

from messages_app.access.models import IdempotencyKey
from messages_app.audit.services import Actor
from messages_app.core.statements import Statements
from messages_app.core.stores import installed_stores
from messages_app.erasure.keys import Key
from messages_app.erasure.messages import sweep_files
from messages_app.erasure.rows import ids_of
from messages_app.erasure.run import Changed, Erasure
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.services import forget_schedule
from messages_app.messages.attachment import Feature, refuse_if_attached
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.list.models import SavedView
from messages_app.shared.job_states import FINAL_STATES, JobState

statements = Statements("messages_app.erasure")


class CannotErase(Exception):
    """Nothing is erased. The message says why."""


@dataclass(frozen=True, kw_only=True)
class Erased:
    """
    The result of a run or a dry run.

    Args:
        rows: how many rows were erased or changed, by table.
        left: (table, name, why) of rows that stay.
        parents: parents of erased messages.
        again: rows that a second search has found.
    """

    rows: Counter[str]
    left: list[tuple[str, str, str]]
    parents: list[int]
    again: Counter[str] = field(default_factory=Counter)


def would_erase(*, key: Key, actor: Actor) -> Erased:
    """
    Return what `erase` would do now: every step is rolled back.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _alone():
        return _result_of(_run(key=key, actor=actor, reason="", dry_run=True))


def erase(*, key: Key, actor: Actor, reason: str) -> Erased:
    """
    Erase everything with the key, and check again. After a crash, run it again to finish.

    Raises:
        CannotErase: the role may not, or another run is in progress.
    """
    with _alone():
        sweep_files()
        done = _run(key=key, actor=actor, reason=reason, dry_run=False)
        sweep_files()
        second = _run(key=key, actor=actor, reason=reason, dry_run=True)
        done.left |= second.left
        return _result_of(done, again=second.rows)


def _run(*, key: Key, actor: Actor, reason: str, dry_run: bool) -> Erasure:
    erasure = Erasure(key=key, actor=actor, reason=reason, dry_run=dry_run)
    for store in installed_stores():
        import_module(store.erasure).erase(erasure)
    erase_parameters(erasure)
    return erasure


def _result_of(erasure: Erasure, *, again: Counter[str] | None = None) -> Erased:
    return Erased(
        rows=+erasure.rows,
        left=sorted((place, name, why) for (place, name), why in erasure.left.items()),
        parents=sorted(erasure.parents),
        again=again or Counter(),
    )


@contextmanager
def _alone() -> Iterator[None]:
    """Prevent other erasures until this ends. Raises CannotErase, NotAttachedForThis."""
    refuse_if_attached(Feature.ERASE)
    role, may_erase = statements.only_row("may_erase", {})
    if not may_erase:
        raise CannotErase(
            f"The role {role} has no permission to erase. Run this as the owner of the tables or the role "
            "of the part erase."
        )
    if not statements.only_row("hold_erasing", {})[0]:
        raise CannotErase("Another erasure is running. Wait until it finishes.")
    try:
        yield
    finally:
        statements.row("release_erasing", {})


# The input of users: filters of jobs, schedules and saved views, stored answers, notes on failures.
#
# If a row must stay, the key is replaced in it. All of these tables are small and are read completely.


M = TypeVar("M", bound=Model)

_OF_JOB = ("filter", "options", "report", "reason", "error")
_OF_GROUP = ("summary", "example", "ticket", "note")


def erase_parameters(erasure: Erasure) -> None:
    """Erase the key from the input of users. A job that has not ended keeps its parameters."""
    key = erasure.key
    values = {"key": key.value, "in_json": key.in_json}
    for job in _rows(Job, ids_of("jobs_with", values)):
        _erase_from_job(erasure, job)
    for answer in _rows(IdempotencyKey, ids_of("answers_with", values)):
        _replace(erasure, answer, ("body", "key"))
    for group in _rows(FailureGroup, ids_of("groups_with", values)):
        _replace(erasure, group, _OF_GROUP)
    for schedule in JobSchedule.objects.order_by("pk"):
        if _changes(key, schedule, ("filter", "options", "reason", "last_outcome")):
            _remove(erasure, schedule, partial(forget_schedule, schedule.pk))
    for view in SavedView.objects.order_by("pk"):
        if _holds(key, view):
            _remove(erasure, view, view.delete)


def _rows(model: type[M], ids: list[int]) -> Iterable[M]:
    return model._default_manager.filter(pk__in=ids).order_by("pk")


def _erase_from_job(erasure: Erasure, job: Job) -> None:
    is_planned_dry_run = job.dry_run and job.state == JobState.PLANNED
    if job.state not in FINAL_STATES and not is_planned_dry_run:
        if _changes(erasure.key, job, _OF_JOB):
            erasure.leave("job", job.pk, f"it is {job.state} and uses it: wait for that job, or stop it")
        return
    _replace(erasure, job, _OF_JOB)


def _replace(erasure: Erasure, row: Model, names: tuple[str, ...]) -> None:
    """Replace the key in columns of a row, unless they have changed since they were read."""
    changes = _changes(erasure.key, row, names)
    if not changes:
        return
    before = {name: getattr(row, name) for name in changes}
    place = row._meta.db_table

    def act() -> None:
        with erasure.step() as taken:
            if type(row)._default_manager.filter(pk=row.pk, **before).update(**changes) != 1:
                raise Changed
            taken.add(place, [row.pk])

    if not erasure.attempt(act):
        erasure.leave(place, row.pk, "it has changed: run this again")


def _remove(erasure: Erasure, row: Model, remove: Callable[[], object]) -> None:
    place, key = row._meta.db_table, row.pk

    def act() -> None:
        with erasure.step() as taken:
            remove()
            taken.add(place, [key])
        row.pk = key  # Django clears it when it deletes the row.

    if not erasure.attempt(act):
        erasure.leave(place, key, "it is locked: run this again")


def _changes(key: Key, row: Model, names: tuple[str, ...]) -> dict[str, object]:
    """Return the columns that contain the key, with the key replaced."""
    found = {name: (getattr(row, name), key.without(getattr(row, name))) for name in names}
    return {name: after for name, (before, after) in found.items() if before != after}


def _holds(key: Key, view: SavedView) -> bool:
    values = [value for _, found in QueryDict(view.query).lists() for value in found]
    return key.without([view.name, *values]) != [view.name, *values]
