"""Each change of an attempt applies to its own job, in the states that are written out here."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.jobs.leases import (
    Lease,
    claim_job,
    end_early,
    lock_job,
    move_job,
    note_step,
    pause_job,
    release_job,
    statements,
)
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.shared.job_states import JobState, PauseReason, PlanStep

pytestmark = pytest.mark.django_db

LIVE = {"planning", "queued", "running", "stopping"}
HOUR = timedelta(hours=1)
FROM = [JobState.QUEUED, JobState.RUNNING]


def beat(lease: Lease) -> bool:
    return statements.fetch_row("beat", lease.key) is not None


def held(lease: Lease) -> bool:
    with transaction.atomic():
        return lock_job(lease, states=FROM)


CHANGES: dict[str, tuple[Callable[[Lease], object], set[str]]] = {
    "beat": (beat, LIVE | {"paused"}),
    "release": (lambda lease: release_job(lease, error="full"), LIVE | {"paused"}),
    "move": (lambda lease: move_job(lease, JobState.DONE, from_states=FROM), {"queued", "running"}),
    "rest": (
        lambda lease: pause_job(lease, paused_for=PauseReason.CANARY, from_states=FROM),
        {"queued", "running"},
    ),
    "note_step": (lambda lease: note_step(lease, PlanStep.WARMING_UP), {"planning"}),
    "end_early": (lambda lease: end_early(lease, JobState.STOPPED, outcome="x", error=""), LIVE),
}


def store_job(state: str, **columns: object) -> Job:
    lease = {"attempt": 2, "lease_until": Now() + HOUR}
    return Job.objects.create(**{"kind": "restart", "state": state, "reason": "r"} | lease | columns)


def rows() -> dict[int, dict[str, object]]:
    return {row["job_id"]: row for row in Job.objects.values()}


def changed_by(call: Callable[[Lease], object], lease: Lease) -> tuple[bool, set[int]]:
    """Return whether a call says that it had the job, and the jobs whose rows differ after it."""
    before = rows()
    had = bool(call(lease))
    return had, {job_id for job_id, row in rows().items() if row != before[job_id]}


@pytest.mark.parametrize("name", CHANGES)
class TestAttempt:
    def test_changes_its_own_job_in_the_states_of_the_change(self, name):
        call, states = CHANGES[name]
        for state in JobState:
            job, _ = store_job(state), store_job(state)
            assert changed_by(call, Lease(job_id=job.pk, attempt=2)) == (
                (True, {job.pk}) if state in states else (False, set())
            ), state

    @pytest.mark.parametrize("attempt", [1, 3])
    def test_changes_nothing_if_the_job_has_another_attempt(self, name, attempt):
        for state in JobState:
            job = store_job(state)
            assert changed_by(CHANGES[name][0], Lease(job_id=job.pk, attempt=attempt)) == (False, set())


class TestHold:
    def test_is_for_this_attempt_of_this_job_in_these_states(self):
        for state in JobState:
            job = store_job(state)
            assert held(Lease(job_id=job.pk, attempt=2)) == (state in FROM)
            assert not held(Lease(job_id=job.pk, attempt=1))
            assert not held(Lease(job_id=job.pk + 1, attempt=2))


class TestReleased:
    @pytest.mark.parametrize("name", ["beat", "release"])
    def test_a_job_that_was_given_back_is_not_changed(self, name):
        job = store_job("running", lease_until=None, error="why")
        assert changed_by(CHANGES[name][0], Lease(job_id=job.pk, attempt=2)) == (False, set())

    def test_release_returns_the_state_and_keeps_the_error(self):
        job = store_job("stopping", error="earlier")
        assert release_job(Lease(job_id=job.pk, attempt=2), error="lost") == JobState.STOPPING
        job.refresh_from_db()
        assert (job.lease_until, job.error, job.attempt) == (None, "lost", 2)


class TestBeat:
    def test_renews_the_lease_from_now(self, settings):
        settings.JOB_LEASE_SECONDS = 60
        job = store_job("running", lease_until=Now() + timedelta(seconds=5))
        beat(Lease(job_id=job.pk, attempt=2))
        job.refresh_from_db()
        assert job.lease_until - job.heartbeat_at == pytest.approx(
            timedelta(seconds=60), abs=timedelta(seconds=1)
        )
        assert database_clock() - job.heartbeat_at < timedelta(seconds=30)


class TestMove:
    def test_keeps_the_lease_and_the_chunks_unless_the_job_is_at_rest(self):
        job = store_job("queued", report={"a": 1, "b": 1}, chunk_count=7, error="old")
        lease = Lease(job_id=job.pk, attempt=2)
        assert move_job(lease, JobState.RUNNING, from_states=FROM, report={"b": 2})
        job.refresh_from_db()
        assert (job.state, job.report, job.chunk_count, job.error) == ("running", {"a": 1, "b": 2}, 7, "")
        assert (job.finished_at, job.lease_until is None) == (None, False)
        assert move_job(lease, JobState.FAILED, from_states=FROM, error="broken", chunk_count=9, at_rest=True)
        job.refresh_from_db()
        assert (job.state, job.chunk_count, job.error, job.lease_until) == ("failed", 9, "broken", None)
        assert job.finished_at is not None


class TestClaim:
    def test_takes_a_live_job_without_a_lease_or_with_an_expired_one(self):
        for state in JobState:
            for lease_until, is_free in ((None, True), (Now() - HOUR, True), (Now() + HOUR, False)):
                job, _ = store_job(state, lease_until=lease_until), store_job(state, lease_until=None)
                before = rows()
                lease = claim_job(job.pk)
                changed = {job_id for job_id, row in rows().items() if row != before[job_id]}
                if is_free and state in LIVE:
                    assert (lease, changed) == (Lease(job_id=job.pk, attempt=3), {job.pk})
                else:
                    assert (lease, changed) == (None, set())

    def test_keeps_the_first_start_and_forgets_the_step(self, settings):
        settings.JOB_LEASE_SECONDS = 60
        job = store_job("planning", lease_until=None, step=PlanStep.WARMING_UP)
        claim_job(job.pk)
        job.refresh_from_db()
        started = job.started_at
        assert (started is not None, job.step) == (True, "")
        assert job.lease_until - job.heartbeat_at == pytest.approx(
            timedelta(seconds=60), abs=timedelta(seconds=1)
        )
        Job.objects.filter(pk=job.pk).update(lease_until=None)
        claim_job(job.pk)
        assert Job.objects.get(pk=job.pk).started_at == started


def store_chunk(job: Job, chunk_no: int, items: dict[int, str | None], **columns: object) -> None:
    """Store a chunk with its messages and the refusals of some."""
    JobChunk.objects.create(
        job_id=job.pk, chunk_no=chunk_no, content="messages", planned=len(items), **columns
    )
    for msg_id, outcome in items.items():
        item = {"job_id": job.pk, "msg_id": msg_id, "root_msg_id": msg_id + 100, "old_state": "FAILED"}
        JobItem.objects.create(chunk_no=chunk_no, **item)
        if outcome:
            JobRefusal.objects.create(outcome=outcome, **item)


class TestEndEarly:
    def test_gives_open_messages_an_outcome_and_leaves_the_others(self):
        job, other = store_job("running"), store_job("running", attempt=1)
        ended = {"outcomes": {"done": 2}, "committed_at": Now()}
        store_chunk(job, 0, dict.fromkeys((1, 2)), **ended)
        store_chunk(job, 1, {3: None, 4: "skipped:locked", 5: None, 6: "failed:uq_x", 7: None},
                    outcomes={"done": 1, "skipped:locked": 1, "failed:uq_x": 1}, done_through=4)  # fmt: skip
        store_chunk(job, 2, dict.fromkeys((8, 9)))
        store_chunk(other, 2, dict.fromkeys((8, 9)))
        lease = Lease(job_id=job.pk, attempt=2)

        assert end_early(lease, JobState.STOPPED, outcome="skipped:stopped", error="why")

        refused = JobRefusal.objects.order_by("msg_id").values_list(
            "job_id", "msg_id", "root_msg_id", "outcome"
        )
        assert list(refused) == [
            (job.pk, 4, 104, "skipped:locked"),
            (job.pk, 5, 105, "skipped:stopped"),
            (job.pk, 6, 106, "failed:uq_x"),
            (job.pk, 7, 107, "skipped:stopped"),
            (job.pk, 8, 108, "skipped:stopped"),
            (job.pk, 9, 109, "skipped:stopped"),
        ]
        chunks = JobChunk.objects.order_by("job_id", "chunk_no")
        assert [(chunk.outcomes, chunk.committed_at is None) for chunk in chunks] == [
            ({"done": 2}, False),
            ({"done": 1, "skipped:locked": 1, "failed:uq_x": 1, "skipped:stopped": 2}, False),
            ({"skipped:stopped": 2}, False),
            ({}, True),
        ]
        job.refresh_from_db()
        assert (job.state, job.error, job.lease_until) == ("stopped", "why", None)
