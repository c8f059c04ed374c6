"""Ledgers as jobs leave them, for tests of what reads them."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobKind, JobState, Outcome

_DECIDED, _OPEN = 0, 1  # chunk numbers
_LARGE_CHUNK = 5_000
# A job whose set is every message up to one: most are done, each tenth was skipped, a few have failed.
_LARGE = """
INSERT INTO job_item (job_id, chunk_no, msg_id, root_msg_id, old_state)
SELECT %(job_id)s, (row_number() OVER (ORDER BY msg_id) - 1) / %(chunk)s, msg_id, msg_id, state
  FROM message
 WHERE msg_id <= %(last)s;
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT job_id, msg_id, root_msg_id, old_state,
       CASE WHEN msg_id %% 50000 = 0 THEN 'failed:too_slow' ELSE 'skipped:state_conflict' END
  FROM job_item
 WHERE job_id = %(job_id)s AND msg_id %% 100 = 0;
INSERT INTO job_chunk (job_id, chunk_no, content, planned, attempt, outcomes, moved, versions, new_state,
                       committed_at)
SELECT job_id, chunk_no, 'messages', count(*), 1,
       jsonb_build_object('done', count(*) - 500, 'skipped:state_conflict', 499, 'failed:too_slow', 1),
       '{}', '[]', 'PARTLY_FAILED', clock_timestamp()
  FROM job_item
 WHERE job_id = %(job_id)s
 GROUP BY job_id, chunk_no;
ANALYZE job_item, job_refusal, job_chunk;
"""
# Rows of 300 other jobs, which the plan for one job's chunks must skip.
_OTHERS = """
INSERT INTO job_chunk (job_id, chunk_no, content, planned, outcomes, moved, versions)
SELECT 1000000 + n / 100, n % 100, 'messages', 5000, '{"done": 5000}', '{}', '[]'
  FROM generate_series(0, 29999) AS n
ON CONFLICT DO NOTHING;
ANALYZE job_chunk;
"""


def store_ledger(job: Job, outcomes: dict[int, str | None], *, new_state: str | None = None) -> None:
    """Store a job's set, each message a family of its own; outcome None: not decided yet."""
    for chunk_no in (_DECIDED, _OPEN):
        mine = {msg_id: found for msg_id, found in outcomes.items() if (found is None) == (chunk_no == _OPEN)}
        if mine:
            _store_chunk(job, chunk_no, mine, new_state, is_open=chunk_no == _OPEN)


def store_measured_job(*chunks: tuple[float, float, int], **columns: object) -> Job:
    """
    Store a job that has ended.

    Args:
        chunks: (start, end, messages) of each, in seconds from a moment of the past.
    """
    job = Job.objects.create(
        **{"kind": JobKind.RESTART, "state": JobState.DONE, "reason": "r", "created_by": "bob"} | columns
    )
    zero = timezone.now() - timedelta(days=100)
    for chunk_no, (start, end, messages) in enumerate(chunks):
        JobChunk.objects.create(
            job_id=job.pk,
            chunk_no=chunk_no,
            content="messages",
            planned=messages,
            outcomes={"done": messages},
            began_at=zero + timedelta(seconds=start),
            committed_at=zero + timedelta(seconds=end),
        )
    return job


def store_decided_chunk(job: Job, chunk_no: int, outcomes: dict[int, str]) -> None:
    """Store a chunk whose messages all have an outcome, each message a family of its own."""
    _store_chunk(job, chunk_no, outcomes, None, is_open=False)


def _store_chunk(
    job: Job, chunk_no: int, outcomes: Mapping[int, str | None], new_state: str | None, *, is_open: bool
) -> None:
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


def restarting_job(
    message: Message,
    *,
    kind: str = JobKind.RESTART,
    outcome: str = Outcome.DONE,
    new_state: str = "PARTLY_FAILED",
    **columns: object,
) -> Job:
    """Store a job of ada's that has ended and had one message."""
    asked = {"reason": "the gateway is back", "created_by": "ada", "finished_at": Now()} | columns
    job = Job.objects.create(kind=kind, state=JobState.DONE, **asked)
    store_ledger(job, {message.pk: outcome}, new_state=new_state)
    return job


def store_large_ledger(*, last: int) -> int:
    """Store a job that has had every message up to an id; return its own id."""
    job = Job.objects.create(kind=JobKind.RESTART, state=JobState.DONE, reason="x", created_by="ada")
    with connection.cursor() as cursor:
        cursor.execute(_LARGE, {"job_id": job.pk, "chunk": _LARGE_CHUNK, "last": last})
    store_chunks_of_other_jobs()
    return job.pk


def store_chunks_of_other_jobs() -> None:
    """Make the table of chunks as large as many jobs leave it."""
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS)
