import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.states import JobKind, JobState
from tests.factories import make_user
from tests.ledgers import store_ledger

pytestmark = pytest.mark.django_db


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles, username="-".join(roles)))
    return client


@pytest.fixture
def admin() -> Client:
    return client_of("admin")


def make_job(**columns: object) -> Job:
    defaults = {"kind": JobKind.ARCHIVE, "reason": "house-keeping", "created_by": "ada"}
    return Job.objects.create(**defaults | {"options": {"older_than_months": 2}} | columns)


def make_half_done_job() -> Job:
    job = make_job(state=JobState.RUNNING)
    decided = {1: "done", 2: "done", 3: "skipped:moved_on", 4: "failed:uq_x"}
    store_ledger(job, decided | dict.fromkeys(range(5, 9)))
    JobChunk.objects.filter(job_id=job.pk, outcomes__done=2).update(moved={"message": 2, "request": 3})
    return job


class TestJobList:
    def test_shows_the_newest_first_with_what_came_of_them(self, admin):
        job = make_half_done_job()
        later = make_job(dry_run=True, state=JobState.PLANNED)
        response = admin.get("/jobs/")
        assert [each.job.pk for each in response.context["progress"]] == [later.pk, job.pk]
        assert "preview" in response.content.decode()

    def test_says_so_when_there_is_none(self, admin):
        assert "No job has run yet" in admin.get("/jobs/").content.decode()

    def test_refuses_a_cursor_of_another_list(self, admin):
        assert admin.get("/jobs/?cursor=x").status_code == 400

    def test_is_closed_to_who_has_no_role(self):
        assert client_of().get("/jobs/").status_code == 403


class TestJobPage:
    def test_shows_progress_and_report(self, admin):
        job = make_half_done_job()
        response = admin.get(f"/jobs/{job.pk}/")
        page = response.content.decode()
        assert 'aria-valuenow="50"' in page
        assert [(share.name, share.count) for share in response.context["words"].shares] == [
            ("done", 2),
            ("skipped", 1),
            ("failed", 1),
        ]
        assert "Changed after the plan was made" in page
        assert "uq_x" in page
        assert "request" in page

    @pytest.mark.parametrize(
        ("outcome", "ids"),
        [("", [1, 2, 3, 4, 5, 6, 7, 8]), ("done", [1, 2]), ("skipped", [3]), ("failed:uq_x", [4])],
    )
    def test_lists_its_messages_by_outcome(self, admin, outcome, ids):
        job = make_half_done_job()
        items = admin.get(f"/jobs/{job.pk}/", {"outcome": outcome}).context["items"]
        assert [item.msg_id for item in items.rows] == ids

    def test_refuses_an_outcome_that_does_not_exist(self, admin):
        assert admin.get(f"/jobs/{make_job().pk}/?outcome=nope").status_code == 400

    @pytest.mark.parametrize("state", JobState)
    def test_is_asked_again_only_while_it_moves(self, admin, state):
        job = make_job(state=state)
        moves = state not in {JobState.DONE, JobState.FAILED, JobState.STOPPED, JobState.PLANNED}
        page = admin.get(f"/jobs/{job.pk}/").content.decode()
        part = admin.get(f"/jobs/{job.pk}/progress/")
        assert ('hx-trigger="every 2s"' in page) == moves
        assert ("HX-Refresh" not in part.headers) == moves

    @pytest.mark.parametrize("job_id", ["0", str(2**63), "abc", "9" * 400])
    def test_is_not_there_for_nobodys_id(self, admin, job_id):
        assert admin.get(f"/jobs/{job_id}/").status_code == 404


class TestStop:
    def test_asks_the_job_to_stop_and_says_who(self, admin):
        job = make_job(state=JobState.RUNNING, attempt=1)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": "wrong month"})
        job.refresh_from_db()
        assert response.url == f"/jobs/{job.pk}/"
        assert job.state == JobState.STOPPING
        assert AuditEntry.objects.get().reason == "wrong month"

    def test_wants_a_reason(self, admin):
        job = make_job(state=JobState.RUNNING)
        assert admin.post(f"/jobs/{job.pk}/stop/", {"reason": " "}).status_code == 400
        job.refresh_from_db()
        assert job.state == JobState.RUNNING

    def test_says_that_a_job_has_ended_already(self, admin):
        job = make_job(state=JobState.DONE)
        response = admin.post(f"/jobs/{job.pk}/stop/", {"reason": "x"})
        assert response.status_code == 409

    def test_is_only_for_who_may_archive(self):
        job = make_job(state=JobState.RUNNING)
        assert client_of("operator").post(f"/jobs/{job.pk}/stop/", {"reason": "x"}).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"

    def test_changes_nothing_when_it_is_only_looked_at(self, admin):
        assert admin.get(f"/jobs/{make_job().pk}/stop/").status_code == 405


class TestArchive:
    def test_starts_a_job_and_leads_to_it(self, admin):
        response = admin.post("/archive/", {"older_than_months": "3", "reason": "November"})
        job = Job.objects.get()
        assert response.url == f"/jobs/{job.pk}/"
        assert (job.options["older_than_months"], job.reason, job.dry_run) == (3, "November", False)
        assert job.created_by == "admin"

    def test_previews_when_asked_to(self, admin):
        admin.post("/archive/", {"older_than_months": "2", "reason": "look first", "dry_run": "true"})
        assert Job.objects.get().dry_run

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [
            ({"older_than_months": "0"}, "older_than_months"),
            ({"older_than_months": "-1"}, "older_than_months"),
            ({"older_than_months": "two"}, "older_than_months"),
            ({"older_than_months": ""}, "older_than_months"),
            ({"older_than_months": "9" * 30}, "older_than_months"),
            ({"reason": ""}, "reason"),
            ({"reason": "x" * 1001}, "reason"),
            ({"reason": "a\0"}, "reason"),
        ],
    )
    def test_says_what_is_wrong_at_the_field(self, admin, fields, wrong):
        response = admin.post("/archive/", {"older_than_months": "2", "reason": "x"} | fields)
        assert response.status_code == 400
        assert list(response.context["form"].errors) == [wrong]
        assert not Job.objects.exists()

    def test_leads_to_the_job_that_is_under_way(self, admin):
        job = make_job(state=JobState.RUNNING)
        response = admin.post("/archive/", {"older_than_months": "2", "reason": "again"})
        assert response.status_code == 409
        assert f"/jobs/{job.pk}/" in response.content.decode()
        assert Job.objects.count() == 1

    def test_shows_the_totals_of_the_five_archive_tables(self, admin):
        totals = admin.get("/archive/").context["totals"]
        assert len(totals) == 5
        assert all(total.stored_bytes > 0 for total in totals)

    def test_is_only_to_be_read_by_others(self):
        support = client_of("support")
        assert b"<textarea" not in support.get("/archive/").content
        assert support.post("/archive/", {"older_than_months": "2", "reason": "x"}).status_code == 403
        assert not Job.objects.exists()
        assert AuditEntry.objects.get().outcome == "refused"
