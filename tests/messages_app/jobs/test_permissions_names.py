"""Rights to jobs and their files belong to the user who created the job, not to the user with the name."""

import pytest
from django.contrib.auth.models import User

from messages_app.access.actors import Actor
from messages_app.jobs.errors import JobConflict
from messages_app.jobs.export_downloads import may_download
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_decide, may_steer
from messages_app.jobs.services.control import approve_job, refuse_job
from messages_app.shared.job_states import JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import make_job, make_restart
from tests.support.factories import make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


def swap_names(one: User, other: User) -> None:
    """Give two users each other's names, as someone who manages users can."""
    names = one.username, other.username
    User.objects.filter(pk=one.pk).update(username="in-between")
    User.objects.filter(pk=other.pk).update(username=names[0])
    User.objects.filter(pk=one.pk).update(username=names[1])
    one.refresh_from_db()
    other.refresh_from_db()


@pytest.fixture
def ada() -> User:
    return make_user("operator")


@pytest.fixture
def bob() -> User:
    return make_user("operator", username="bob")


def actor(user: User) -> Actor:
    return Actor(username=user.username, user_id=user.pk)


def waiting_job() -> Job:
    return make_restart(state=JobState.PLANNED, paused_for=PauseReason.SECOND_PERSON)


class TestMayDownload:
    def test_stays_with_the_user_who_is_renamed(self, ada, bob):
        job = make_job(kind="export", options={"payload": False})
        swap_names(ada, bob)
        assert (may_download(ada, job), may_download(bob, job)) == (True, False)
        assert (may_steer(ada, job), may_steer(bob, job)) == (True, False)

    def test_is_not_inherited_by_a_new_user_of_the_name(self, ada):
        job = make_job(kind="export", options={"payload": False})
        ada.delete()
        again = make_user("operator")
        assert not may_download(again, job)

    def test_of_a_job_without_a_users_id_is_only_for_administrators(self, ada):
        job = make_job(kind="export", options={"payload": False}, creator_id=None)
        assert not may_download(ada, job)
        assert may_download(make_user("admin", username="root"), job)


class TestApproval:
    @pytest.mark.parametrize("decide", [approve_job, refuse_job])
    def test_is_not_for_the_creator_under_another_name(self, ada, bob, decide):
        job = waiting_job()
        swap_names(ada, bob)
        assert (may_decide(ada, job), may_decide(bob, job)) == (False, True)
        with pytest.raises(JobConflict, match="is your own"):
            decide(job_id=job.pk, actor=actor(ada), reason="r")
        decide(job_id=job.pk, actor=actor(bob), reason="r")

    @pytest.mark.parametrize("decide", [approve_job, refuse_job])
    def test_of_a_job_without_a_users_id_uses_the_name(self, ada, bob, decide):
        job = waiting_job()
        Job.objects.update(creator_id=None)
        with pytest.raises(JobConflict, match="is your own"):
            decide(job_id=job.pk, actor=actor(ada), reason="r")
        decide(job_id=job.pk, actor=actor(bob), reason="r")


class TestMine:
    def test_are_the_jobs_of_the_user_under_any_name(self):
        client = client_of("operator")
        job = make_restart()
        User.objects.filter(username="ada").update(username="ada-lovelace")
        other = client_of("operator")
        assert [line.pk for line in client.get("/jobs/?mine=true").context["page"].rows] == [job.pk]
        assert list(other.get("/jobs/?mine=true").context["page"].rows) == []
