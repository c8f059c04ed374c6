"""Each change by a user applies to its own job, in the states that are written out here."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.errors import InvalidJob, JobConflict
from messages_app.jobs.models import Job
from messages_app.jobs.services.control import (
    approve_job,
    change_rate,
    pause_job,
    refuse_job,
    resume_job,
    stop_job,
)
from messages_app.shared.job_states import JobState, PauseReason

pytestmark = pytest.mark.django_db

BOB = Actor(username="bob", user_id=8)
WHY = {"actor": BOB, "reason": "why"}
HOUR = timedelta(hours=1)
ENDED = {"done", "failed", "stopped"}
CHANGES: dict[str, tuple[Callable[..., Job], set[str]]] = {
    "pause_job": (pause_job, {"queued", "running"}),
    "resume_job": (resume_job, {"paused"}),
    "stop_job": (stop_job, {"planning", "planned", "queued", "running", "paused"}),
    "change_rate": (
        lambda **who: change_rate(rate=5.0, **who),
        {"planning", "planned", "queued", "running", "paused", "stopping"},
    ),
    "approve_job": (approve_job, {"planned"}),
    "refuse_job": (refuse_job, {"planned"}),
}


def store_job(state: str, **columns: object) -> Job:
    waiting = {"paused_for": PauseReason.SECOND_PERSON, "paused_at": Now() - HOUR}
    columns = {"kind": "restart", "reason": "r", "created_by": "ada", "attempt": 4, **waiting} | columns
    return Job.objects.create(state=state, **columns)


def rows() -> dict[int, dict[str, object]]:
    return {row["job_id"]: row for row in Job.objects.values()}


def call_or_refusal(call: Callable[..., Job], job_id: int) -> str | None:
    """Return the text of the refusal, or None."""
    try:
        call(job_id=job_id, **WHY)
    except JobConflict as refused:
        return str(refused)
    return None


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_applies_to_its_job_in_its_states_and_is_audited(name):
    call, states = CHANGES[name]
    for state in JobState:
        job, _ = store_job(state), store_job(state)
        before = rows()
        outcome = call_or_refusal(call, job.pk)
        if outcome is not None:
            assert state not in states
            assert f"Job {job.pk} is {state}; " in outcome
        after = rows()
        changed = {job_id for job_id, row in after.items() if row != before[job_id]}
        audited = AuditEntry.objects.filter(job_id=job.pk).values_list("action", "after_state", "reason")
        if state in states:
            assert (changed, list(audited)) == ({job.pk}, [(name, after[job.pk]["state"], "why")])
        else:
            assert (changed, list(audited)) == (set(), [])


@pytest.mark.parametrize("attempt", [0, 1])
def test_a_job_that_no_worker_has_begun_is_stopped_immediately(attempt):
    job = store_job("queued", attempt=attempt, error="old")
    job = stop_job(job_id=job.pk, **WHY)
    assert (job.state, job.finished_at is None) == (("stopping", True) if attempt else ("stopped", False))
    assert (job.paused_for, job.paused_at, job.error) == ("", None, "")


def test_a_new_rate_applies_from_now():
    job = store_job("running", rate=1.0, paced_until=Now() + HOUR)
    job = change_rate(job_id=job.pk, rate=None, **WHY)
    assert (job.rate, job.paced_until) == (None, None)


def test_a_resumed_job_waits_for_nothing_and_its_attempts_count_from_here():
    job = store_job(
        "paused", chunk_count=3, paced_until=Now() + HOUR, report={"moved": {}}, heartbeat_at=Now() - HOUR
    )
    job = resume_job(job_id=job.pk, **WHY)
    assert (job.state, job.paused_for, job.paused_at, job.paced_until) == ("queued", "", None, None)
    assert (job.resumed_attempt, job.report) == (4, {"moved": {}})
    assert Job.objects.filter(pk=job.pk, heartbeat_at__gt=Now() - HOUR / 2).exists()


@pytest.mark.parametrize(
    ("to_do", "confirmed", "is_resumed"),
    [(110, 100, True), (111, 100, False), (99, 100, True), (0, None, True), (1, None, False)],
)
def test_a_job_that_waits_for_a_confirmation_needs_a_number_within_a_tenth(to_do, confirmed, is_resumed):
    report = {"to_do": to_do, "confirmed": 3}
    job = store_job("paused", paused_for=PauseReason.CONFIRMATION, report=report)
    if is_resumed:
        assert resume_job(job_id=job.pk, confirmed=confirmed, **WHY).report == report | {
            "confirmed": confirmed
        }
    else:
        with pytest.raises(InvalidJob) as refused:
            resume_job(job_id=job.pk, confirmed=confirmed, **WHY)
        assert refused.value.errors[0].message.startswith(
            f"Job {job.pk} has {to_do} messages, but 3 were confirmed."
        )
        assert Job.objects.get(pk=job.pk).state == "paused"


def test_a_number_changes_nothing_in_a_job_that_waits_for_something_else():
    job = store_job("paused", paused_for=PauseReason.OPERATOR, report={"to_do": 500})
    assert resume_job(job_id=job.pk, confirmed=1, **WHY).report == {"to_do": 500}


@pytest.mark.parametrize("decide", [approve_job, refuse_job])
class TestDecision:
    @pytest.mark.parametrize(
        ("creator", "is_own"),
        [
            ({"created_by": "bob", "creator_id": None}, True),
            ({"created_by": "ada", "creator_id": None}, False),
            ({"created_by": "bob", "creator_id": 7}, False),  # another person who had this name
            ({"created_by": "ada", "creator_id": 8}, True),  # the same person under an earlier name
        ],
    )
    def test_is_made_by_another_person(self, decide, creator, is_own):
        job = store_job("planned", **creator)
        if is_own:
            with pytest.raises(JobConflict, match="is your own"):
                decide(job_id=job.pk, **WHY)
        else:
            assert decide(job_id=job.pk, **WHY).state != "planned"

    @pytest.mark.parametrize("reason", sorted({"", *PauseReason} - {PauseReason.SECOND_PERSON}))
    def test_is_only_about_a_job_that_waits_for_it(self, decide, reason):
        job = store_job("planned", paused_for=reason)
        with pytest.raises(JobConflict, match="is not waiting for approval"):
            decide(job_id=job.pk, **WHY)


def test_an_approved_job_is_queued_and_its_report_names_the_person():
    job = store_job("planned", report={"to_do": 4}, heartbeat_at=Now() - HOUR)
    job = approve_job(job_id=job.pk, **WHY)
    assert (job.state, job.paused_for, job.paused_at, job.resumed_attempt) == ("queued", "", None, 4)
    assert (job.report["to_do"], job.report["approved_by"]) == (4, "bob")
    assert Job.objects.filter(pk=job.pk, heartbeat_at__gt=Now() - HOUR / 2).exists()


def test_a_refused_job_stops_with_the_reason():
    job = refuse_job(job_id=store_job("planned").pk, **WHY)
    assert (job.state, job.paused_for, job.paused_at) == ("stopping", "", None)
    assert job.error == "Refused by bob: why"


@pytest.mark.parametrize("decide", [approve_job, refuse_job])
def test_a_decision_notifies_the_workers_once(decide, django_capture_on_commit_callbacks):
    job = store_job("planned", paused_for="second_person", created_by="ben", creator_id=72)
    with django_capture_on_commit_callbacks() as callbacks:
        decide(job_id=job.pk, **WHY)
    assert len(callbacks) == 1
