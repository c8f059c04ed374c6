import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.running.steering import STEERS
from messages_app.jobs.states import JobKind, JobState
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return client_of("admin")


class TestStop:
    def test_asks_the_job_to_stop_and_says_who(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": "wrong month"})
        job.refresh_from_db()
        assert response.url == f"/jobs/{job.pk}/"
        assert job.state == JobState.STOPPING
        assert AuditEntry.objects.get().reason == "wrong month"

    def test_wants_a_reason_and_leaves_its_form_open(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": " "})
        assert response.status_code == 400
        assert response.context["tried"] == "stop"
        assert "Say why" in text_of(response)
        job.refresh_from_db()
        assert job.state == JobState.RUNNING


class TestSteer:
    def test_pauses_and_resumes_by_one_click(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1, chunk_count=2)
        for name, state in (("pause", JobState.PAUSED), ("resume", JobState.QUEUED)):
            assert admin.post(f"/jobs/{job.pk}/{name}/").status_code == 302
            job.refresh_from_db()
            assert job.state == state
        assert all(AuditEntry.objects.values_list("reason", flat=True))

    @pytest.mark.parametrize(("given", "kept"), [("12.5", 12.5), ("", None)])
    def test_changes_the_rate(self, admin, given, kept):
        job = make_job(state=JobState.RUNNING, rate=3)
        admin.post(f"/jobs/{job.pk}/rate/", {"rate": given})
        job.refresh_from_db()
        assert job.rate == kept

    @pytest.mark.parametrize("rate", ["0", "-1", "x", "1e9", "nan", "inf"])
    def test_refuses_a_rate_that_is_none(self, admin, rate):
        job = make_job(state=JobState.RUNNING, rate=3)
        assert admin.post(f"/jobs/{job.pk}/rate/", {"rate": rate}).status_code == 400
        job.refresh_from_db()
        assert job.rate == 3

    def test_undoes_by_a_new_job_and_leads_there(self, admin):
        job = make_half_done_job(kind=JobKind.CANCEL, state=JobState.DONE, finished_at=Now())
        response = admin.post(f"/jobs/{job.pk}/undo/", {"reason": "the wrong ones"})
        undo = Job.objects.get(undo_of=job.pk)
        assert response.url == f"/jobs/{undo.pk}/"
        page = text_of(admin.get(f"/jobs/{job.pk}/"))
        assert f'href="/jobs/{undo.pk}/"' in page

    def test_tries_again_what_failed(self, admin):
        job = make_half_done_job(kind=JobKind.RESTART, options={}, state=JobState.DONE, finished_at=Now())
        page = text_of(admin.get(f"/jobs/{job.pk}/"))
        assert "Retry only the failed" in page
        response = admin.post(f"/jobs/{job.pk}/retry/", {"reason": "again"})
        assert response.url == f"/jobs/{Job.objects.get(retry_of=job.pk).pk}/"

    @pytest.mark.parametrize("name", STEERS)
    def test_says_what_the_jobs_state_does_not_allow(self, admin, name):
        job = make_restart(state=JobState.PLANNED if name == "pause" else JobState.DONE)
        response = admin.post(f"/jobs/{job.pk}/{name}/", {"reason": "x", "rate": "1"})
        assert response.status_code == 409
        assert f"job {job.pk}" in text_of(response).lower()

    @pytest.mark.parametrize("name", STEERS)
    def test_is_only_for_who_may_make_such_a_job(self, name):
        job = make_job(state=JobState.RUNNING)
        response = client_of("operator").post(f"/jobs/{job.pk}/{name}/", {"reason": "x"})
        assert response.status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"

    @pytest.mark.parametrize("name", STEERS)
    def test_changes_nothing_when_it_is_only_looked_at(self, admin, name):
        assert admin.get(f"/jobs/{make_job().pk}/{name}/").status_code == 405

    @pytest.mark.parametrize("name", STEERS)
    def test_finds_no_job_of_nobodys_id(self, admin, name):
        assert admin.post(f"/jobs/999999/{name}/", {"reason": "x"}).status_code == 404
