"""The current status of the messages that a job has attempted, looked up one chunk at a time."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.stores import store_of
from messages_app.shared.job_states import ChunkContent
from messages_app.shared.message_states import FINAL_STATES, MessageState

statements = Statements("messages_app.jobs")


class End(StrEnum):
    """How the messages of a job ended, as its page counts them now."""

    OK = "ok"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDER_WAY = "under_way"
    GONE = "gone"
    ARCHIVED = "archived"  # of all of these


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
    rows = statements.fetch_rows("tried_chunks", {"job_id": job_id, "content": ChunkContent.MESSAGES})
    return [TriedChunk(chunk_no=chunk_no, tried=tried) for chunk_no, tried in rows if tried]


def count_statuses(job: Job, chunk_no: int, *, most: int | None = None) -> list[StatusCount]:
    """Return the current status of a chunk's messages, or of an even sample of at most `most` of them."""
    return [
        StatusCount(place=Place(place), state=state, is_untouched=is_untouched, count=count)
        for place, state, is_untouched, count in statements.fetch_rows(
            store_of(job.kind).status_statement, {"job_id": job.pk, "chunk_no": chunk_no, "most": most}
        )
    ]


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

    Exact if that is all of them, otherwise from an even sample, and pages say so.
    """
    chunks = tried_chunks(job.pk)
    statuses: list[StatusCount] = []
    tried = sum(chunk.tried for chunk in chunks)
    end = time.monotonic() + seconds
    for chunk in spread_evenly(chunks):
        left = most - sum(status.count for status in statuses)
        seconds_left = end - time.monotonic()
        if left <= 0 or seconds_left <= 0:
            break
        statuses += _status_of_chunk(seconds_left, job, chunk.chunk_no, most=left)
    return _sum_up(statuses, tried)


def _status_of_chunk(seconds: float, job: Job, chunk_no: int, *, most: int) -> list[StatusCount]:
    """Return the status of a chunk's messages; empty if the time is over."""
    try:
        with time_limit(max(1, int(seconds * 1000))):
            return count_statuses(job, chunk_no, most=most)
    except TooSlow:
        return []


def spread_evenly(chunks: Sequence[TriedChunk]) -> list[TriedChunk]:
    """Return the chunks in an order in which each prefix is an even sample."""
    return [chunks[index] for index in sorted(range(len(chunks)), key=lambda index: index * _STRIDE % 1)]


def _sum_up(statuses: Sequence[StatusCount], tried: int) -> CurrentStatus:
    done = [status for status in statuses if status.place != Place.REFUSED]
    refused = sum(status.count for status in statuses) - sum(status.count for status in done)
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


_ENDS = {MessageState.OK: End.OK, MessageState.FAILED: End.FAILED, MessageState.CANCEL: End.CANCELLED}


def _end_of(status: StatusCount) -> End:
    if status.place == Place.GONE:
        return End.GONE
    return _ENDS[MessageState(status.state)] if status.state in FINAL_STATES else End.UNDER_WAY


def rows_with_end(rows: QuerySet[LedgerRow], job: Job, end: End) -> QuerySet[LedgerRow]:
    """
    Return the rows of a ledger whose messages have this end now. Messages are looked up one by one, so
    `rows` must be those of one chunk.
    """
    live, archived = store_of(job.kind).state_expressions()
    rows = rows.alias(live=live, archived=archived, present=Coalesce(live, archived))
    final = {end: state for state, end in _ENDS.items()}
    if end in final:
        return rows.filter(present=final[end])
    if end == End.ARCHIVED:
        return rows.filter(live=None).exclude(archived=None)
    return (
        rows.filter(present=None)
        if end == End.GONE
        else rows.exclude(present=None).exclude(present__in=_ENDS)
    )
