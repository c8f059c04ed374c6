"""
What became of the messages that a job has done: how many are OK, failed or still under way by now.

Exact up to a hundred thousand messages, as far as the time goes; else an even sample, and said so.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import OperationalError

from messages_app.jobs.following.fates import Fate, Place, TriedChunk, fates, tried_chunks
from messages_app.jobs.models import Job
from messages_app.jobs.states import store_name
from messages_app.messages.states import FINAL_STATES, MessageState
from messages_app.web.time_limits import time_limit, was_too_slow

_MOST_MESSAGES = 100_000
_SECONDS = 1.0
# Next to the golden section of the whole: any first part of the walk is spread evenly.
_STRIDE = 0.618


@dataclass(frozen=True, kw_only=True)
class Since:
    """
    What became of a job's messages.

    Args:
        done: how many the job has done.
        looked_at: how many of them were looked at; the counts below add up to it.
        ok, failed, cancelled: in that final state, archived ones too.
        under_way: in any other state: the hub has yet to end them.
        gone: neither live nor archived.
        archived: how many of all these are in the archive.
        by_state: the live ones by their state.
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


def since(job: Job, *, most: int = _MOST_MESSAGES, seconds: float = _SECONDS) -> Since:
    """Return what became of the messages that the job has done, by looking at `most` in about `seconds`."""
    chunks = tried_chunks(job.pk)
    found: list[Fate] = []
    tried = sum(chunk.tried for chunk in chunks)
    end = time.monotonic() + seconds
    for chunk in spread(chunks):
        left = most - sum(fate.count for fate in found)
        seconds_left = end - time.monotonic()
        if left <= 0 or seconds_left <= 0:
            break
        found += _within(seconds_left, job, chunk.chunk_no, most=left)
    return _summed(found, tried)


def _within(seconds: float, job: Job, chunk_no: int, *, most: int) -> list[Fate]:
    """Return the fates of a chunk, none where they are not found in time."""
    try:
        with time_limit(max(1, int(seconds * 1000))):
            return fates(job.pk, chunk_no, most=most, store=store_name(job.kind))
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return []


def spread(chunks: Sequence[TriedChunk]) -> list[TriedChunk]:
    """Return the chunks in an order in which every beginning is an even sample of all."""
    return [chunks[index] for index in sorted(range(len(chunks)), key=lambda index: index * _STRIDE % 1)]


def _summed(found: Sequence[Fate], tried: int) -> Since:
    done = [fate for fate in found if fate.place != Place.REFUSED]
    refused = sum(fate.count for fate in found) - sum(fate.count for fate in done)
    looked_at = sum(fate.count for fate in done)
    ends, live = Counter(), Counter()
    for fate in done:
        ends[_end_of(fate)] += fate.count
        if fate.place == Place.LIVE:
            live[fate.state] += fate.count
    return Since(
        done=tried - refused,
        looked_at=looked_at,
        archived=sum(fate.count for fate in done if fate.place == Place.ARCHIVED),
        by_state=dict(live),
        **ends,
    )


_ENDS = {MessageState.OK: "ok", MessageState.FAILED: "failed", MessageState.CANCEL: "cancelled"}


def _end_of(fate: Fate) -> str:
    if fate.place == Place.GONE:
        return "gone"
    return _ENDS[MessageState(fate.state)] if fate.state in FINAL_STATES else "under_way"
