import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.states import JobKind, JobState
from tests.api_client import ApiClient, caller, problem
from tests.ledgers import store_ledger

pytestmark = pytest.mark.django_db

FIELDS = {
    *("job_id", "kind", "state", "filter", "watermark", "planned", "done", "skipped", "failed", "attempt"),
    *("created_by", "created_at", "started_at", "finished_at", "heartbeat_at", "rate", "reason", "report"),
}
NO_IDS = ["abc", "-1", "1_0", "%D9%A1", "9" * 30, "1.5", "777"]


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def create(admin: ApiClient, **body: object):
    return admin.post("jobs/", {"kind": "archive", "reason": "monthly"} | body)


class TestJobListView:
    def test_accepts_an_archive_job(self, admin):
        response = create(admin, options={"older_than_months": 3})
        assert response.status_code == 202
        body = response.json()
        assert set(body) >= FIELDS
        assert (body["kind"], body["state"], body["created_by"]) == ("archive", "planning", "ada")
        assert (body["planned"], body["done"], body["skipped"], body["failed"]) == (0, 0, 0, 0)
        assert body["options"] == {"older_than_months": 3, "to": "tables"}
        entry = AuditEntry.objects.get(job_id=body["job_id"])
        assert (entry.actor, entry.token_name, entry.reason) == ("ada", "test", "monthly")

    def test_refuses_a_second_archive_job_and_names_the_first(self, admin):
        first = create(admin).json()["job_id"]
        body = problem(create(admin))
        assert (body["status"], body["code"], body["job_id"]) == (409, "already_running", first)

    def test_makes_one_job_for_one_key(self, admin):
        bodies = [
            admin.post("jobs/", {"kind": "archive", "reason": "r"}, Idempotency_Key="k") for _ in range(2)
        ]
        assert [response.status_code for response in bodies] == [202, 202]
        assert bodies[0].json() == bodies[1].json()
        assert Job.objects.count() == 1

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({"kind": None}, "kind", "required"),
            ({"kind": "archiv"}, "kind", "invalid_value"),
            ({"kind": "ARCHIVE"}, "kind", "invalid_value"),
            ({"kind": 5}, "kind", "invalid_value"),
            ({"reason": ""}, "reason", "required"),
            ({"reason": "r" * 1001}, "reason", "too_long"),
            ({"dry_run": "true"}, "dry_run", "invalid_value"),
            ({"dry_run": 1}, "dry_run", "invalid_value"),
            ({"options": []}, "options", "invalid_value"),
            ({"options": {"older_than_months": 0}}, "options.older_than_months", "out_of_range"),
            ({"options": {"older_than_months": 10**9}}, "options.older_than_months", "out_of_range"),
            ({"options": {"older_than_months": "2"}}, "options.older_than_months", "invalid_value"),
            ({"options": {"older_than_months": True}}, "options.older_than_months", "invalid_value"),
            ({"options": {"older_than_months": 2.5}}, "options.older_than_months", "invalid_value"),
            ({"options": {"to": "/etc/passwd"}}, "options.to", "invalid_value"),
            ({"options": {"oder_than_months": 2}}, "options.oder_than_months", "unknown_field"),
            ({"filter": {"state": "OK"}}, "filter", "invalid_value"),
            ({"filter": "state=OK"}, "filter", "invalid_value"),
            ({"where": "1=1"}, "where", "unknown_field"),
            ({"spark_conf": {"spark.jars": "http://evil.example"}}, "spark_conf", "unknown_field"),
        ],
    )
    def test_refuses_what_is_no_job(self, admin, body, field, code):
        answer = problem(create(admin, **body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        assert not Job.objects.exists()

    @pytest.mark.parametrize("kind", sorted({JobKind.RESTORE, JobKind.REPROCESS, JobKind.EXPORT}))
    def test_says_which_kinds_are_not_there_yet(self, admin, kind):
        answer = problem(create(admin, kind=kind))
        assert answer["errors"][0]["field"] == "kind"
        assert "not available yet" in answer["detail"]

    def test_lists_newest_first(self, admin):
        jobs = [Job.objects.create(kind="archive", state="done", reason=str(n)) for n in range(3)]
        first = admin.get("jobs/?page_size=2").json()
        assert [row["job_id"] for row in first["results"]] == [jobs[2].pk, jobs[1].pk]
        second = admin.client.get(first["next"], headers=admin.headers).json()
        assert [row["job_id"] for row in second["results"]] == [jobs[0].pk]

    @pytest.mark.parametrize(
        "query", ["zzz=1", "ordering=job_id", "page_size=501", "cursor=x", "outcome=done"]
    )
    def test_refuses_other_parameters(self, admin, query):
        assert problem(admin.get(f"jobs/?{query}"))["status"] == 400


class TestJobView:
    def test_gives_the_job(self, admin):
        made = create(admin).json()
        assert admin.get(f"jobs/{made['job_id']}/").json() == made

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_what_is_no_id(self, admin, text):
        assert problem(admin.get(f"jobs/{text}/"))["code"] == "not_found"


class TestJobItemsView:
    @pytest.fixture
    def job(self) -> Job:
        job = Job.objects.create(kind="archive", state="done", reason="r")
        outcomes = ["done", "skipped:locked", "done", "skipped:moved_on", "failed:not_reached", None]
        store_ledger(job, dict(enumerate(outcomes, start=1)))
        return job

    def ids(self, admin: ApiClient, job: Job, query: str = "") -> list[int]:
        return [row["msg_id"] for row in admin.get(f"jobs/{job.pk}/items/{query}").json()["results"]]

    def test_lists_items_by_message(self, admin, job):
        assert self.ids(admin, job) == [1, 2, 3, 4, 5, 6]
        assert self.ids(admin, job, "?page_size=2") == [1, 2]

    @pytest.mark.parametrize(
        ("outcome", "expected"),
        [
            ("done", [1, 3]),
            ("skipped", [2, 4]),
            ("skipped:locked", [2]),
            ("skipped:vanished", []),
            ("failed", [5]),
        ],
    )
    def test_filters_by_outcome(self, admin, job, outcome, expected):
        assert self.ids(admin, job, f"?outcome={outcome}") == expected

    @pytest.mark.parametrize("outcome", ["zzz", "", "skipped:", "DONE", "done,failed", "skipped:" + "a" * 60])
    def test_refuses_what_is_no_outcome(self, admin, job, outcome):
        body = problem(admin.get(f"jobs/{job.pk}/items/?outcome={outcome}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "outcome")

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_what_is_no_id(self, admin, text):
        assert problem(admin.get(f"jobs/{text}/items/"))["code"] == "not_found"


class TestJobStopView:
    def test_asks_the_job_to_stop(self, admin):
        job_id = create(admin).json()["job_id"]
        response = admin.post(f"jobs/{job_id}/stop/", {"reason": "wrong month"})
        assert response.status_code == 200
        assert response.json()["state"] in {JobState.STOPPING, JobState.STOPPED}

    def test_takes_a_second_stop(self, admin):
        job = Job.objects.create(kind="archive", state="running", attempt=1, reason="r")
        answers = [admin.post(f"jobs/{job.pk}/stop/", {"reason": "r"}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert [answer.json()["state"] for answer in answers] == ["stopping", "stopping"]
        assert AuditEntry.objects.filter(action="stop_job").count() == 1

    def test_refuses_a_job_that_has_ended(self, admin):
        job = Job.objects.create(kind="archive", state="done", reason="r")
        body = problem(admin.post(f"jobs/{job.pk}/stop/", {"reason": "r"}))
        assert (body["status"], body["code"], body["current_state"]) == (409, "state_conflict", "done")

    def test_needs_a_reason(self, admin):
        job_id = create(admin).json()["job_id"]
        assert problem(admin.post(f"jobs/{job_id}/stop/", {}))["errors"][0]["field"] == "reason"

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_what_is_no_id(self, admin, text):
        assert problem(admin.post(f"jobs/{text}/stop/", {"reason": "r"}))["code"] == "not_found"
