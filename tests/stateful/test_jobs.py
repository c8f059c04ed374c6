"""Operators and a worker steer one job, against a table of moves."""

import pytest
from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.errors import JobConflict
from messages_app.jobs.models import Job
from messages_app.jobs.services import control
from messages_app.shared.job_states import FINAL_STATES, JobState
from tests.stateful.machine import StoredMachine, check

S = JobState
WHY = {"actor": Actor(username="ada"), "reason": "r"}
# Where each step leads from where it is possible; to the same state: asked again, nothing changes.
STEPS = {
    "pause_job": {S.QUEUED: S.PAUSED, S.RUNNING: S.PAUSED, S.PAUSED: S.PAUSED},
    "resume_job": {S.PAUSED: S.QUEUED},
    "approve_job": {S.PLANNED: S.QUEUED},
    "refuse_job": {S.PLANNED: S.STOPPING},
    "stop_job": {
        S.PLANNED: S.STOPPING,
        S.QUEUED: S.STOPPING,
        S.RUNNING: S.STOPPING,
        S.PAUSED: S.STOPPING,
        S.STOPPING: S.STOPPING,
        S.STOPPED: S.STOPPED,
    },
    "change_rate": {state: state for state in (S.PLANNED, S.QUEUED, S.RUNNING, S.PAUSED, S.STOPPING)},
}
# The steps of a worker.
WORK = {S.QUEUED: [S.RUNNING], S.RUNNING: [S.DONE, S.FAILED], S.STOPPING: [S.STOPPED]}


class Steering(StoredMachine):
    def __init__(self) -> None:
        super().__init__()
        job = {"kind": "restart", "state": S.PLANNED, "paused_for": "second_person", "created_by": "bob"}
        self.job = Job.objects.create(**job, reason="r", attempt=1, chunk_count=1)
        self.state, self.entries = S.PLANNED, 0

    @rule(step=st.sampled_from(sorted(STEPS)), rate=st.none() | st.floats(0.01, 100))
    def is_asked(self, step: str, rate: float | None) -> None:
        more = {"rate": rate} if step == "change_rate" else {}
        after = STEPS[step].get(self.state)
        if after is None:
            with pytest.raises(JobConflict):
                getattr(control, step)(job_id=self.job.pk, **more, **WHY)
            return
        found = getattr(control, step)(job_id=self.job.pk, **more, **WHY)
        assert found.state == after
        self.entries += after != self.state or step == "change_rate"
        self.state = after

    @precondition(lambda self: self.state in WORK)
    @rule(data=st.data())
    def is_worked_on(self, data: st.DataObject) -> None:
        self.state = data.draw(st.sampled_from(WORK[self.state]))
        ended = timezone.now() if self.state in FINAL_STATES else None
        Job.objects.filter(pk=self.job.pk).update(state=self.state, finished_at=ended)

    @invariant()
    def is_in_the_state_of_the_model_with_an_entry_for_each_change(self) -> None:
        self.job.refresh_from_db()
        assert self.job.state == self.state
        assert (self.job.state in {S.PAUSED, S.PLANNED}) == bool(self.job.paused_for)
        assert AuditEntry.objects.filter(job_id=self.job.pk).count() == self.entries


@pytest.mark.django_db
class TestSteering:
    def test_follows_the_table_of_moves(self):
        check(Steering)
