"""Ledgers as jobs leave them, for tests of what reads them."""

from collections import Counter

from django.utils import timezone

from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.jobs.states import Outcome

_DECIDED, _OPEN = 0, 1  # chunk numbers


def store_ledger(job: Job, outcomes: dict[int, str | None], *, new_state: str | None = None) -> None:
    """Store a job's set, each message a family of its own; outcome None: not decided yet."""
    for chunk_no in (_DECIDED, _OPEN):
        mine = {msg_id: found for msg_id, found in outcomes.items() if (found is None) == (chunk_no == _OPEN)}
        if mine:
            _store_chunk(job, chunk_no, mine, new_state)


def _store_chunk(job: Job, chunk_no: int, outcomes: dict[int, str | None], new_state: str | None) -> None:
    is_open = chunk_no == _OPEN
    JobChunk.objects.create(
        job_id=job.pk,
        chunk_no=chunk_no,
        content="messages",
        planned=len(outcomes),
        outcomes={} if is_open else Counter(outcomes.values()),
        new_state=new_state,
        committed_at=None if is_open else timezone.now(),
    )
    for msg_id, outcome in outcomes.items():
        item = {"job_id": job.pk, "msg_id": msg_id, "root_msg_id": msg_id, "old_state": "OK"}
        JobItem.objects.create(chunk_no=chunk_no, **item)
        if outcome not in {None, Outcome.DONE}:
            JobRefusal.objects.create(outcome=outcome, **item)
