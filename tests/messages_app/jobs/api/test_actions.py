import pytest
from django.test import Client

from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db

ASKED = {"kind": "restart", "filter": {"state": "FAILED"}, "reason": "r"}


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


class TestCheckPasswordGuard:
    @pytest.fixture(autouse=True)
    def guard(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 2

    def ask(self, caller: ApiClient, **body: object):
        session = Client()
        session.force_login(caller.user)
        return session.post("/api/v1/jobs/", ASKED | body, content_type="application/json")

    def test_refers_a_session_to_the_page(self, admin):
        make_message(state="FAILED")
        assert self.ask(admin).status_code == 202
        make_message(state="FAILED")
        body = problem(self.ask(admin))
        assert (body["status"], body["code"]) == (403, "password_required")
        assert self.ask(admin, dry_run=True).status_code == 202
        assert problem(self.ask(admin, options={"canary": 0}))["errors"][0]["field"] == "options.canary"

    def test_asks_a_token_for_nothing_more(self, admin):
        for _ in range(2):
            make_message(state="FAILED")
        assert admin.post("jobs/", ASKED).status_code == 202


class TestBounds:
    def test_accepts_jobs_of_a_user_up_to_the_limit(self, admin, settings):
        settings.JOBS_PER_USER = 2
        make_message(state="FAILED")
        assert [admin.post("jobs/", ASKED).status_code for _ in range(2)] == [202, 202]
        body = problem(admin.post("jobs/", ASKED))
        assert (body["status"], body["code"]) == (429, "too_many_jobs")
        assert "You already have 2 active jobs" in body["detail"]

        assert caller("operator", username="grace").post("jobs/", ASKED).status_code == 202
        Job.objects.filter(created_by=admin.user.username)[:1].get().delete()
        assert admin.post("jobs/", ASKED).status_code == 202

    def test_counts_no_dry_run_that_has_its_answer(self, admin, settings):
        settings.JOBS_PER_USER = 1
        make_message(state="FAILED")
        assert admin.post("jobs/", ASKED | {"dry_run": True}).status_code == 202
        assert problem(admin.post("jobs/", ASKED))["code"] == "too_many_jobs"
        Job.objects.update(state="planned")
        assert admin.post("jobs/", ASKED).status_code == 202

    def test_refuses_an_export_if_the_files_have_reached_their_limit(self, admin, settings, tmp_path):
        settings.HUBCONSOLE_HOME = tmp_path
        settings.EXPORT_BYTES = 1000
        export = ASKED | {"kind": "export"}
        (tmp_path / "exports" / "job-1").mkdir(parents=True)
        (tmp_path / "exports" / "job-1" / "messages-job-1.csv").write_bytes(b"x" * 10_000)
        make_message(state="FAILED")

        body = problem(admin.post("jobs/", export))
        assert (body["status"], body["code"]) == (409, "export_space")
        assert admin.post("jobs/", export | {"dry_run": True}).status_code == 202
        assert admin.post("jobs/", ASKED).status_code == 202
        settings.EXPORT_BYTES = 100_000
        assert admin.post("jobs/", export).status_code == 202
