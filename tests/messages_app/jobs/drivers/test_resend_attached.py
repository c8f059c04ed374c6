"""Jobs that resend on an attached hub whose owner gives and takes the rights."""

from collections.abc import Iterator

import pytest

from messages_app.jobs.engine import runner
from messages_app.jobs.models import Job
from messages_app.messages.attachment import NotAttachedForThis, forget_attachment
from messages_app.messages.models import ResentMessage
from messages_app.shared.job_states import JobState
from tests.support.attached import hub_read_by_guest
from tests.support.jobs import new_job

SET, CHANGE = {"state": "FAILED"}, {"find": "1", "replace": "2"}


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


def test_without_the_right_to_insert_no_job_is_created():
    with hub_read_by_guest("OpenHub 2.3"):
        forget_attachment()
        with pytest.raises(NotAttachedForThis, match="cannot correct and resend messages without GRANT"):
            new_job("resend", SET, **CHANGE)
        assert not Job.objects.exists()


def test_a_right_that_is_taken_before_the_job_runs_ends_it_with_the_grant():
    with hub_read_by_guest("OpenHub 2.3") as hub:
        hub.run("GRANT INSERT, UPDATE (failed_count) ON {hub}.message TO guest")
        forget_attachment()
        messages = hub.run("SELECT msg_id, state FROM {hub}.message ORDER BY msg_id")
        job = new_job("resend", SET, **CHANGE)
        hub.run("REVOKE INSERT ON {hub}.message FROM guest")
        forget_attachment()

        runner.run_job(job_id=job.pk)

        job.refresh_from_db()
        assert job.state == JobState.FAILED
        assert f"GRANT INSERT ON {hub.place}.message TO guest" in job.error
        assert not ResentMessage.objects.exists()
        assert hub.run("SELECT msg_id, state FROM {hub}.message ORDER BY msg_id") == messages
