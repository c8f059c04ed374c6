"""A job whose kind only a newer version knows waits for the workers of that version."""

import pytest

from messages_app.jobs.leases import claim_job
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobKind, JobState

pytestmark = pytest.mark.django_db


def make_job(kind: str) -> Job:
    return Job.objects.create(kind=kind, reason="a test", created_by="ana", last_msg_id=0)


def test_a_job_of_a_later_kind_is_not_claimed_and_not_changed():
    job = make_job("a_later_kind")
    before = Job.objects.filter(pk=job.pk).values().get()
    assert claim_job(job.pk) is None
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert before["state"] == JobState.PLANNING


@pytest.mark.parametrize("kind", JobKind)
def test_a_job_of_each_known_kind_is_claimed(kind: JobKind):
    assert claim_job(make_job(kind).pk).attempt == 1
