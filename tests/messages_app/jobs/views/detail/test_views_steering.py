import pytest
from django.db.models.functions import Now
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.views.detail.views import STEERS
from messages_app.shared.job_states import JobKind, JobState
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.support.factories import PASSWORD, make_user
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return client_of("admin")


def make_unconfirmed(*, to_do: int) -> Job:
    """Store an archive job without outcomes that waits for the confirmation of its number."""
    report = {"confirmed": 1_000, "to_do": to_do}
    job = make_job(state=JobState.PAUSED, paused_for="confirmation", attempt=1, chunk_count=1, report=report)
    store_ledger(job, dict.fromkeys(range(1, to_do + 1)))
    return job


class TestStop:
    def test_asks_the_job_to_stop_and_records_the_user(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": "wrong month"})
        job.refresh_from_db()
        assert response.url == f"/jobs/{job.pk}/"
        assert job.state == JobState.STOPPING
        assert AuditEntry.objects.get().reason == "wrong month"

    def test_requires_a_reason_and_leaves_its_form_open(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": " "})
        assert response.status_code == 400
        assert response.context["tried"] == "stop"
        assert "Enter a reason" in text_of(response)
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

    def test_asks_for_the_number_of_a_set_that_is_larger_than_confirmed(self, admin):
        job = make_unconfirmed(to_do=1_200)
        page = text_of(admin.get(f"/jobs/{job.pk}/"))
        assert "1200 messages were selected, but 1000 were confirmed" in page
        assert 'name="confirmed"' in page
        for typed, error in (
            ("", "Confirm 1200 to continue"),
            ("1000", "Confirm 1200"),
            ("all", "a whole number"),
        ):
            response = admin.post(f"/jobs/{job.pk}/resume/", {"confirmed": typed})
            assert response.status_code == 400
            assert error in text_of(response)
            job.refresh_from_db()
            assert job.state == JobState.PAUSED
        assert admin.post(f"/jobs/{job.pk}/resume/", {"confirmed": "1 200"}).status_code == 302
        job.refresh_from_db()
        assert (job.state, job.report["confirmed"]) == (JobState.QUEUED, 1_200)

    @pytest.mark.parametrize(("given", "kept"), [("12.5", 12.5), ("", None)])
    def test_changes_the_rate(self, admin, given, kept):
        job = make_job(state=JobState.RUNNING, rate=3)
        admin.post(f"/jobs/{job.pk}/rate/", {"rate": given})
        job.refresh_from_db()
        assert job.rate == kept

    @pytest.mark.parametrize("rate", ["0", "-1", "x", "1e9", "nan", "inf"])
    def test_refuses_an_invalid_rate(self, admin, rate):
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

    def test_retries_what_failed(self, admin):
        job = make_half_done_job(kind=JobKind.RESTART, options={}, state=JobState.DONE, finished_at=Now())
        page = text_of(admin.get(f"/jobs/{job.pk}/"))
        assert "Retry failed messages" in page
        response = admin.post(f"/jobs/{job.pk}/retry/", {"reason": "again"})
        assert response.url == f"/jobs/{Job.objects.get(retry_of=job.pk).pk}/"

    @pytest.mark.parametrize("name", STEERS)
    def test_reports_what_the_state_of_the_job_does_not_allow(self, admin, name):
        job = make_restart(state=JobState.PLANNED if name == "pause" else JobState.DONE, created_by="bob")
        response = admin.post(f"/jobs/{job.pk}/{name}/", {"reason": "x", "rate": "1"})
        assert response.status_code == 409
        assert response.context["forms"][name].non_field_errors()
        assert f"job {job.pk}" in text_of(response).lower()

    @pytest.mark.parametrize("name", STEERS)
    def test_is_only_for_users_who_may_make_such_a_job(self, name):
        job = make_job(state=JobState.RUNNING)
        response = client_of("operator").post(f"/jobs/{job.pk}/{name}/", {"reason": "x"})
        assert response.status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"

    @pytest.mark.parametrize("name", STEERS)
    def test_changes_nothing_when_it_is_only_viewed(self, admin, name):
        assert admin.get(f"/jobs/{make_job().pk}/{name}/").status_code == 405

    @pytest.mark.parametrize("name", STEERS)
    def test_finds_no_job_with_an_unknown_id(self, admin, name):
        assert admin.post(f"/jobs/999999/{name}/", {"reason": "x"}).status_code == 404


class TestDeciding:
    def waiting(self, **columns: object) -> Job:
        job = make_restart(
            state=JobState.PLANNED, paused_for="second_person", attempt=1, chunk_count=1, **columns
        )
        store_ledger(job, dict.fromkeys(range(1, 6)))
        return job

    def test_approves_by_one_click_of_another_person(self):
        job, bob = self.waiting(), client_of("operator", username="bob")
        page = text_of(bob.get(f"/jobs/{job.pk}/"))
        assert "Waiting for approval by a second person" in page
        assert "Approve 5 messages" in page

        assert bob.post(f"/jobs/{job.pk}/approve/").url == f"/jobs/{job.pk}/"
        job.refresh_from_db()
        assert (job.state, job.report["approved_by"]) == (JobState.QUEUED, "bob")
        assert (AuditEntry.objects.get().actor, AuditEntry.objects.get().action) == ("bob", "approve_job")

    def test_refuses_with_a_reason(self):
        job, bob = self.waiting(), client_of("operator", username="bob")
        assert bob.post(f"/jobs/{job.pk}/refuse/", {"reason": ""}).status_code == 400
        bob.post(f"/jobs/{job.pk}/refuse/", {"reason": "not on a Friday"})
        job.refresh_from_db()
        assert (job.state, job.error) == (JobState.STOPPING, "Refused by bob: not on a Friday")

    @pytest.mark.parametrize("name", ["approve", "refuse"])
    def test_is_never_allowed_for_the_user_who_made_the_job(self, name):
        root = make_user(username="root", is_superuser=True)
        client = Client()
        client.force_login(root)
        job = self.waiting(created_by="root")
        page = text_of(client.get(f"/jobs/{job.pk}/"))
        assert "Approve" not in page
        assert "Stop job" in page

        refused = client.post(f"/jobs/{job.pk}/{name}/", {"reason": "r"})
        assert refused.status_code == 403
        assert f"Job {job.pk} is your own. Another person must approve or refuse it." in text_of(refused)
        job.refresh_from_db()
        assert job.state == JobState.PLANNED
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.action, entry.outcome) == ("root", f"{name}_job", "refused")

    def test_is_only_for_users_with_the_permission(self):
        job = self.waiting(kind=JobKind.ARCHIVE)
        for role in ("operator", "support"):
            client = client_of(role, username=role)
            assert "Approve 5" not in text_of(client.get(f"/jobs/{job.pk}/"))
            assert client.post(f"/jobs/{job.pk}/approve/").status_code == 403

    def test_keeps_the_page_updated_until_it_is_decided(self, admin):
        job = self.waiting()
        assert "every 2s" in text_of(admin.get(f"/jobs/{job.pk}/"))
        assert text_of(admin.get("/jobs/")).count("needs approval") == 1


class TestPasswords:
    @pytest.fixture(autouse=True)
    def guard(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 1

    @pytest.mark.parametrize(("name", "kind"), [("undo", JobKind.CANCEL), ("retry", JobKind.RESTART)])
    def test_are_required_before_another_large_job(self, admin, name, kind):
        job = make_half_done_job(kind=kind, options={}, state=JobState.DONE, finished_at=Now())
        assert f'id="{name}_password"' in text_of(admin.get(f"/jobs/{job.pk}/"))
        for password in ("", "wrong"):
            response = admin.post(f"/jobs/{job.pk}/{name}/", {"reason": "r", "password": password})
            assert response.status_code == 400
            assert response.context["tried"] == name
            assert response.context["passwords"][name].errors["password"]
        assert Job.objects.count() == 1
        assert admin.post(f"/jobs/{job.pk}/{name}/", {"reason": "r", "password": PASSWORD}).status_code == 302

    def test_are_not_required_for_a_small_job(self, admin, settings):
        settings.BULK_GUARD_FROM = 100
        job = make_half_done_job(kind=JobKind.CANCEL, options={}, state=JobState.DONE, finished_at=Now())
        assert "_password" not in text_of(admin.get(f"/jobs/{job.pk}/"))
        assert admin.post(f"/jobs/{job.pk}/undo/", {"reason": "r"}).status_code == 302
