"""
A message that an active job has and has not come to yet is that job's (docs/contributing/spec/promises.md,
I-32).
"""

import pytest
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job
from messages_app.messages.api import problem_of_refusal
from messages_app.messages.models import Message
from messages_app.messages.services import (
    HeldByJob,
    StateConflict,
    cancel_message,
    restart_message,
)
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger
from tests.support.threads import in_threads

ACTING = {"actor": Actor(username="ada"), "reason": "r"}


def held(
    state: str = "running",
    *,
    message_state: str = "FAILED",
    outcome: str | None = None,
    msg_id: int | None = None,
    **columns: object,
):
    """Store a job in that state with one message, not come to unless an outcome is given; return both."""
    ended = timezone.now() if state in FINAL_STATES else None
    job = Job.objects.create(
        reason="test", state=state, **{"kind": "restart", "finished_at": ended, **columns}
    )
    message = make_message(state=message_state, **({} if msg_id is None else {"msg_id": msg_id}))
    store_ledger(job, {message.pk: outcome})
    return job, message


@pytest.mark.django_db
class TestHeldByJob:
    @pytest.mark.parametrize("state", sorted(ACTIVE_STATES))
    def test_names_the_job_and_leaves_the_message(self, state):
        job, message = held(state)

        with pytest.raises(HeldByJob, match=f"is waiting in job {job.pk}") as refused:
            restart_message(msg_id=message.pk, **ACTING)

        assert Message.objects.get(pk=message.pk).state == "FAILED"
        assert AuditEntry.objects.get(msg_id=message.pk).outcome == "refused"
        problem = problem_of_refusal(refused.value)
        assert (problem.status, problem.code) == (409, "in_job")
        assert problem.extra == {"current_state": "FAILED", "job_id": job.pk}

    @pytest.mark.parametrize("msg_id", [-7, -1, 0])
    def test_names_the_job_of_a_message_whose_id_is_not_positive(self, msg_id):
        job, message = held(msg_id=msg_id)

        with pytest.raises(HeldByJob, match=f"is waiting in job {job.pk}"):
            restart_message(msg_id=message.pk, **ACTING)

    def test_also_rejects_a_cancel(self):
        _, message = held(message_state="POSTPONED")

        with pytest.raises(HeldByJob):
            cancel_message(msg_id=message.pk, **ACTING)

    @pytest.mark.parametrize("outcome", ["done", "skipped:locked", "failed:too_slow"])
    def test_does_not_apply_after_the_job_has_processed_the_message(self, outcome):
        _, message = held(outcome=outcome)

        assert restart_message(msg_id=message.pk, **ACTING).state == "PARTLY_FAILED"

    @pytest.mark.parametrize("state", sorted(FINAL_STATES))
    def test_does_not_apply_to_an_ended_job(self, state):
        _, message = held(state)

        assert restart_message(msg_id=message.pk, **ACTING).state == "PARTLY_FAILED"

    def test_does_not_apply_to_a_job_that_changes_nothing(self):
        _, message = held(kind="export")

        assert restart_message(msg_id=message.pk, **ACTING).state == "PARTLY_FAILED"

    def test_yields_to_the_rules_for_the_state(self):
        _, message = held(message_state="OK")

        with pytest.raises(StateConflict):
            cancel_message(msg_id=message.pk, **ACTING)


@pytest.mark.django_db(transaction=True)
class TestHeldByJobAtOnce:
    def test_has_no_exceptions(self):
        job, message = held()

        answers = in_threads(*(lambda: restart_message(msg_id=message.pk, **ACTING) for _ in range(4)))

        assert [answer.job_id for answer in answers] == [job.pk] * 4
