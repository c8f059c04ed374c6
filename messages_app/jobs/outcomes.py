"""The current status of the messages that a job has attempted, looked up one chunk at a time."""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from threading import BoundedSemaphore

from django.db import OperationalError, connection
from psycopg.rows import TupleRow

from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.jobs.stores import store_of
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.job_states import ChunkContent, JobState, StoreName
from messages_app.shared.message_states import FINAL_STATES, MessageState

statements = Statements("messages_app.jobs")


class Place(StrEnum):
    """The place where a message is found."""

    REFUSED = "refused"  # the message failed in the job
    LIVE = "live"
    ARCHIVED = "archived"
    GONE = "gone"


@dataclass(frozen=True, kw_only=True)
class StatusCount:
    """
    Messages of a job with the same current status.

    Args:
        state: their current state; None if they are gone.
        is_untouched: they have not changed since the job wrote them.
    """

    place: Place
    state: str | None
    is_untouched: bool
    count: int

    @property
    def is_failed_try(self) -> bool:
        """
        Whether they failed, in the job or later in the hub. Source: docs/contributing/spec/cleverbus.md,
        "Transitions".
        """
        if self.place == Place.REFUSED:
            return True
        has_failed_again = self.state == MessageState.PARTLY_FAILED and not self.is_untouched
        return self.state == MessageState.FAILED or has_failed_again


@dataclass(frozen=True, kw_only=True)
class TriedChunk:
    """A chunk that an attempt has started. `tried` counts its messages that were done or failed."""

    chunk_no: int
    tried: int


def tried_chunks(job_id: int) -> list[TriedChunk]:
    """Return the started chunks of messages: chunks in progress first, then the most recent ones."""
    rows = _rows_of_statement("tried_chunks", job_id=job_id, content=ChunkContent.MESSAGES)
    return [TriedChunk(chunk_no=chunk_no, tried=tried) for chunk_no, tried in rows if tried]


def count_statuses(job: Job, chunk_no: int, *, most: int | None = None) -> list[StatusCount]:
    """Return the current status of a chunk's messages, or of an even sample of at most `most` of them."""
    return [
        StatusCount(place=Place(place), state=state, is_untouched=is_untouched, count=count)
        for place, state, is_untouched, count in _rows_of_statement(
            store_of(job.kind).status_statement, job_id=job.pk, chunk_no=chunk_no, most=most
        )
    ]


def _rows_of_statement(name: str, **values: object) -> list[TupleRow]:
    return statements.rows(name, values)


# The current status of the messages that a job has done: how many are OK, failed or in progress.
#
# Exact for up to 100 000 messages if there is time, otherwise from an even sample, and pages say so.


_MAX_MESSAGES = 100_000
_SECONDS = 1.0
# A stride near the golden ratio, so that any prefix of the order is evenly spread.
_STRIDE = 0.618


@dataclass(frozen=True, kw_only=True)
class CurrentStatus:
    """
    The current status of a job's messages.

    Args:
        done: messages that the job has done.
        looked_at: how many of these were looked up; the counts below add up to it.
        ok, failed, cancelled: messages in that final state, live or archived.
        under_way: messages in any other state, which the hub has not ended yet.
        gone: messages that are neither live nor archived.
        archived: how many of all messages are in the archive.
        by_state: the live messages by state.
    """

    done: int
    looked_at: int
    ok: int = 0
    failed: int = 0
    cancelled: int = 0
    under_way: int = 0
    gone: int = 0
    archived: int = 0
    by_state: dict[str, int] = field(default_factory=dict)

    @property
    def is_exact(self) -> bool:
        return self.looked_at == self.done


def current_status(job: Job, *, most: int = _MAX_MESSAGES, seconds: float = _SECONDS) -> CurrentStatus:
    """
    Return the current status of messages that the job has done. Looks up at most `most`, for about `seconds`.
    """
    chunks = tried_chunks(job.pk)
    found: list[StatusCount] = []
    tried = sum(chunk.tried for chunk in chunks)
    end = time.monotonic() + seconds
    for chunk in spread_evenly(chunks):
        left = most - sum(status.count for status in found)
        seconds_left = end - time.monotonic()
        if left <= 0 or seconds_left <= 0:
            break
        found += _status_of_chunk(seconds_left, job, chunk.chunk_no, most=left)
    return _sum_up(found, tried)


def _status_of_chunk(seconds: float, job: Job, chunk_no: int, *, most: int) -> list[StatusCount]:
    """Return the status of a chunk's messages; empty if the time is over."""
    try:
        with time_limit(max(1, int(seconds * 1000))):
            return count_statuses(job, chunk_no, most=most)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return []


def spread_evenly(chunks: Sequence[TriedChunk]) -> list[TriedChunk]:
    """Return the chunks in an order in which each prefix is an even sample."""
    return [chunks[index] for index in sorted(range(len(chunks)), key=lambda index: index * _STRIDE % 1)]


def _sum_up(found: Sequence[StatusCount], tried: int) -> CurrentStatus:
    done = [status for status in found if status.place != Place.REFUSED]
    refused = sum(status.count for status in found) - sum(status.count for status in done)
    looked_at = sum(status.count for status in done)
    ends: Counter[str] = Counter()
    live: Counter[str] = Counter()
    for status in done:
        ends[_end_of(status)] += status.count
        if status.place == Place.LIVE and status.state is not None:
            live[status.state] += status.count
    return CurrentStatus(
        done=tried - refused,
        looked_at=looked_at,
        archived=sum(status.count for status in done if status.place == Place.ARCHIVED),
        by_state=dict(live),
        **ends,
    )


_ENDS = {MessageState.OK: "ok", MessageState.FAILED: "failed", MessageState.CANCEL: "cancelled"}


def _end_of(status: StatusCount) -> str:
    if status.place == Place.GONE:
        return "gone"
    return _ENDS[MessageState(status.state)] if status.state in FINAL_STATES else "under_way"


# Jobs that repaired messages, by time and by failure group.


MAX_REPAIRS = 20
# The number of a group's newest messages that are looked up, each in this number of its newest jobs.
_MESSAGES, _JOBS = 100, 5
# The number of a job's messages that are looked up, and the time limit.
_LOOKED_AT, _REPAIRS_SECONDS = 1_000, 0.1


@dataclass(frozen=True, kw_only=True)
class Repair:
    """
    A job that repaired messages, with the number of its messages that are OK, failed or in progress now.
    """

    progress: JobProgress
    status: CurrentStatus

    @property
    def job(self) -> Job:
        return self.progress.job


def repairs_since(moment: datetime, *, most: int = MAX_REPAIRS) -> list[Repair]:
    """Return the repairing jobs that ended after `moment` and changed messages, the latest first."""
    ended = Job.objects.filter(
        finished_at__gte=moment, state__in=sorted(ENDED_STATES), kind__in=_repairing_kinds(), dry_run=False
    )
    found = progress_of_jobs(list(ended.order_by("-finished_at", "-job_id")[:most]))
    return [_repair_of_job(progress) for progress in found if progress.done]


def repairs_of_groups(group_ids: Collection[int]) -> Mapping[int, list[Job]]:
    """
    Return, by group, the jobs that processed a group's newest messages after they had failed, newest first.
    """
    values = {"groups": list(group_ids), "messages": _MESSAGES, "jobs": _JOBS}
    rows = statements.rows("jobs_of_groups", {**values, "kinds": _repairing_kinds(StoreName.MESSAGES)})
    jobs = Job.objects.in_bulk({job_id for _, job_id in rows})
    found = defaultdict(list)
    for group_id, job_id in rows:
        found[group_id].append(jobs[job_id])
    return found


def _repairing_kinds(*stores: str) -> list[str]:
    """
    Return the kinds of jobs that retry or end messages of these stores, or of all stores if none is given.
    """
    specs = kind_specs.values()
    return [spec.kind for spec in specs if spec.is_followed and (not stores or spec.store in stores)]


def _repair_of_job(progress: JobProgress) -> Repair:
    return Repair(
        progress=progress, status=current_status(progress.job, most=_LOOKED_AT, seconds=_REPAIRS_SECONDS)
    )


# Waiting for the end of a job, for API callers that would otherwise poll.
#
# A waiting call occupies a thread of the web process, so only a few may wait at the same time. It holds no
# database connection and reads the job by its key.


MAX_SECONDS = 60
# A web process has four threads. The other two continue to answer.
MAX_WAITERS = 2
_FIRST_PAUSE, _MAX_PAUSE = 0.05, 0.5

_places = BoundedSemaphore(MAX_WAITERS)


class WaitEnd(StrEnum):
    """Why a call stopped waiting."""

    JOB = "job"  # the job has ended
    TIME = "time"  # the requested time is over
    LIMIT = "limit"  # too many other calls wait


def wait_for_end(job: Job, *, seconds: float) -> WaitEnd:
    """
    Return when the job has ended, after `seconds`, or immediately if too many callers are already waiting.

    A dry run ends when it is planned.
    """
    if not _places.acquire(blocking=False):
        return WaitEnd.JOB if _has_ended(job) else WaitEnd.LIMIT
    try:
        return _await_end(job, until=time.monotonic() + seconds)
    finally:
        _places.release()


def _await_end(job: Job, *, until: float) -> WaitEnd:
    pause = _FIRST_PAUSE
    while not _has_ended(job):
        if (left := until - time.monotonic()) <= 0:
            return WaitEnd.TIME
        if not connection.in_atomic_block:
            connection.close()  # Return the connection to the pool.
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _MAX_PAUSE)
    return WaitEnd.JOB


def _has_ended(job: Job) -> bool:
    """Whether the job has ended, or is gone."""
    state = Job.objects.filter(pk=job.pk).values_list("state", flat=True).first()
    return state is None or state in ENDED_STATES or (job.dry_run and state == JobState.PLANNED)
