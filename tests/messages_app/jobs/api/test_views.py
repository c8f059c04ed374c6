import json
from threading import BoundedSemaphore

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs import waiting
from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger
from tests.support.stores import set_process, store

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


def change(client: ApiClient, job: Job, *, headers: dict[str, str] | None = None, **body: object):
    raw = json.dumps({"reason": "slower"} | body).encode()
    return client.send("PATCH", f"jobs/{job.pk}/", raw, **headers or {})


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

    def test_returns_the_address_of_the_new_job(self, admin):
        response = create(admin)
        address = f"http://testserver/api/v1/jobs/{response.json()['job_id']}/"
        assert response.headers["Location"] == address
        assert admin.get(address.partition("/api/v1/")[2]).status_code == 200

    def test_accepts_the_ids_of_messages(self):
        operator = caller("operator")
        failed = [make_message(state="FAILED").pk for _ in range(3)]
        body = {"kind": "restart", "filter": {"msg_id": failed[:2]}, "reason": "r"}
        job = operator.post("jobs/", body).json()
        assert job["filter"] == {"msg_id": f"{failed[0]},{failed[1]}"}

    @pytest.mark.parametrize(
        ("ids", "code"),
        [
            ([], "required"),
            (["x"], "invalid_value"),
            ([1.5], "invalid_value"),
            ([True], "invalid_value"),
            ([2**63], "out_of_range"),
            ([-(2**63) - 1], "out_of_range"),
            (list(range(1001)), "out_of_range"),
            ([[1]], "invalid_value"),
            (None, "invalid_value"),
        ],
    )
    def test_refuses_invalid_ids_of_messages(self, ids, code):
        body = {"kind": "restart", "filter": {"msg_id": ids}, "reason": "r"}
        error = problem(caller("operator").post("jobs/", body))["errors"][0]
        assert (error["field"], error["code"]) == ("filter.msg_id", code)

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
            ({"filter": {"state": "NEW"}}, "filter.state", "invalid_value"),
            ({"filter": None}, "filter", "required"),
            ({"options": None}, "options", "required"),
            ({"reason": None}, "reason", "required"),
            ({"reason": ["r"]}, "reason", "invalid_value"),
            ({"filter": "state=OK"}, "filter", "invalid_value"),
            ({"where": "1=1"}, "where", "unknown_field"),
            ({"spark_conf": {"spark.jars": "http://evil.example"}}, "spark_conf", "unknown_field"),
        ],
    )
    def test_refuses_an_invalid_job(self, admin, body, field, code):
        answer = problem(create(admin, **body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        assert not Job.objects.exists()

    def test_accepts_the_filter_of_the_store_of_the_kind(self, admin):
        key = store()
        set_process(key, status=26)
        options = {"refresh_entities": ["order"], "rate": 5}
        response = create(admin, kind="reprocess", filter={"status": [26, "25"]}, options=options)
        assert response.status_code == 202
        assert response.json()["filter"] == {"muted": "false", "status": "26,25"}
        answer = problem(create(admin, kind="reprocess", filter={"state": "FAILED"}))
        assert answer["errors"][0]["field"] == "filter.state"

    @pytest.mark.parametrize("kind", ["restart", "cancel", "restore", "export"])
    def test_accepts_every_kind_with_a_filter(self, admin, kind):
        make_message(state="FAILED")
        response = create(admin, kind=kind, filter={"state": ["FAILED", "FAILED"]})
        assert response.status_code == 202
        assert response.json()["filter"]["state"] == "FAILED"

    def test_accepts_a_filter_that_matches_nothing(self, admin):  # J24
        assert create(admin, kind="restart", filter={"service_name": "nobody"}).status_code == 202

    def test_names_the_option_that_was_meant(self, admin):  # J04
        assert "older_than_months" in problem(create(admin, options={"oder_than_months": 2}))["detail"]

    @pytest.mark.parametrize(
        "raw",
        [
            b'{"kind": "archive", "reason": "r", "options": {"older_than_months": NaN}}',
            b'{"kind": "archive", "reason": "r", "options": {"older_than_months": 1e400}}',
            b'{"kind": "archive", "reason": "r", "options": {"older_than_months": ' + b"9" * 5000 + b"}}",
            b'{"kind": "archive", "kind": "cancel", "reason": "r"}',
            b'{"kind": "archive", "reason": "r", "filter": ' + b"[" * 100 + b"]" * 100 + b"}",
            b'{"kind": "archive", "reason": "r\\u0000"}',
            b'{"kind": "restart", "reason": "r", "filter": {"state\\u0000": "OK"}}',
            b'["kind", "archive"]',
            b"kind=archive",
        ],
    )
    def test_refuses_a_malformed_body(self, admin, raw):  # J10
        assert problem(admin.send("POST", "jobs/", raw))["status"] == 400
        assert not Job.objects.exists()

    @pytest.mark.parametrize(
        ("role", "allowed"),
        [
            ("support", {"export"}),
            ("operator", {"export", "restart", "cancel"}),
            ("admin", {"export", "restart", "cancel", "archive", "restore"}),
        ],
    )
    def test_accepts_the_kinds_of_each_role(self, role, allowed):  # J03, J38
        client = caller(role)
        for dry_run in (True, False):
            answers = {
                kind: create(client, kind=kind, filter={"state": "OK"}, dry_run=dry_run).status_code
                for kind in ("export", "restart", "cancel", "archive", "restore")
            }
            assert answers == {kind: 202 if kind in allowed else 403 for kind in answers}

    def test_records_who_was_refused(self):
        client = caller("support")
        answer = problem(create(client, Idempotency_Key="k"))
        assert (answer["status"], answer["code"]) == (403, "permission_denied")
        entry = AuditEntry.objects.get(action="create_job")
        assert (entry.actor, entry.outcome) == ("ada", AuditEntry.Outcome.REFUSED)

    @pytest.mark.parametrize("kind", ["zzz", ["archive"], {"archive": 1}, 5, None])
    def test_reports_an_unknown_kind_to_everyone(self, kind):
        assert problem(create(caller("support"), kind=kind))["errors"][0]["field"] == "kind"

    @pytest.mark.parametrize("payload", [True, "true", 1])
    def test_exports_payloads_for_users_who_may_read_them(self, payload):  # J51
        body = {"kind": "export", "filter": {"state": "OK"}, "options": {"payload": payload}}
        assert problem(create(caller("admin"), **body))["status"] == 403
        reader = caller("support", "view_payload", username="grace")
        assert create(reader, **body).status_code == (202 if payload is True else 400)

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
    def test_returns_the_job(self, admin):
        made = create(admin).json()
        assert admin.get(f"jobs/{made['job_id']}/").json() == made

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_an_invalid_id(self, admin, text):
        assert problem(admin.get(f"jobs/{text}/"))["code"] == "not_found"

    def test_shows_what_a_paused_job_waits_for(self, admin):
        job = Job.objects.create(kind="restart", state="paused", paused_for="canary", retry_of=3, reason="r")
        body = admin.get(f"jobs/{job.pk}/").json()
        assert (body["paused_for"], body["retry_of"], body["undo_of"]) == ("canary", 3, None)

    def test_names_why_a_call_stopped_waiting(self, admin, monkeypatch):
        running, ended = (
            Job.objects.create(kind="restart", state=state, reason="r") for state in ("running", "done")
        )

        def told(job: Job, query: str) -> tuple[str | None, str | None]:
            headers = admin.get(f"jobs/{job.pk}/{query}").headers
            return headers.get("X-Wait-Ended"), headers.get("Retry-After")

        assert told(running, "") == (None, None)
        assert told(running, "?wait=1") == ("time", None)
        assert told(ended, "?wait=1") == ("job", None)
        monkeypatch.setattr(waiting, "_places", BoundedSemaphore(0))
        assert told(running, "?wait=1") == ("limit", "2")

    def test_shows_a_job_that_was_edited_manually(self, admin):
        job = Job.objects.create(kind="zzz", state="failed", filter=[], options="x", reason="r")
        assert admin.get(f"jobs/{job.pk}/").json()["filter"] == []
        assert admin.get("jobs/").status_code == 200

    def test_changes_the_rate(self, admin):
        job = Job.objects.create(kind="restart", state="running", reason="r")
        for rate in (2.5, 100, None):
            response = change(admin, job, rate=rate)
            assert (response.status_code, response.json()["rate"]) == (200, rate)
        assert AuditEntry.objects.filter(action="change_rate", job_id=job.pk).count() == 3

    def test_changes_the_rate_once_for_one_key(self, admin):
        job = Job.objects.create(kind="restart", state="running", reason="r")
        headers = {"HTTP_IDEMPOTENCY_KEY": "k"}
        answers = [change(admin, job, rate=5, headers=headers) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert answers[1].headers["Idempotent-Replayed"] == "true"
        assert AuditEntry.objects.filter(action="change_rate").count() == 1

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({"rate": 0}, "rate", "out_of_range"),
            ({"rate": -3}, "rate", "out_of_range"),
            ({"rate": 10**300}, "rate", "out_of_range"),
            ({"rate": "5"}, "rate", "invalid_value"),
            ({"rate": True}, "rate", "invalid_value"),
            ({"rate": [5]}, "rate", "invalid_value"),
            ({"rate": 5, "reason": ""}, "reason", "required"),
            ({"rate": 5, "state": "done"}, "state", "unknown_field"),
            ({"rte": 5}, "rate", "required"),
        ],
    )
    def test_refuses_an_invalid_rate(self, admin, body, field, code):
        job = Job.objects.create(kind="restart", state="running", reason="r", rate=7)
        answer = problem(change(admin, job, **body))
        assert answer["status"] == 400
        assert (field, code) in {(each["field"], each["code"]) for each in answer["errors"]}
        assert Job.objects.get().rate == 7

    def test_changes_no_rate_of_a_job_that_has_ended(self, admin):
        job = Job.objects.create(kind="restart", state="done", reason="r")
        answer = problem(change(admin, job, rate=5))
        assert (answer["status"], answer["code"], answer["current_state"]) == (409, "state_conflict", "done")

    def test_changes_no_rate_without_the_permission(self):
        job = Job.objects.create(kind="restart", state="running", reason="r")
        assert problem(change(caller("support"), job, rate=5))["status"] == 403
        assert AuditEntry.objects.get(outcome=AuditEntry.Outcome.REFUSED).action == "change_rate"

    @pytest.mark.parametrize("text", NO_IDS)
    def test_changes_nothing_under_an_invalid_id(self, admin, text):
        raw = b'{"rate": 5, "reason": "r"}'
        assert problem(admin.send("PATCH", f"jobs/{text}/", raw))["code"] == "not_found"


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
    def test_refuses_an_invalid_outcome(self, admin, job, outcome):
        body = problem(admin.get(f"jobs/{job.pk}/items/?outcome={outcome}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "outcome")

    @pytest.mark.parametrize("text", NO_IDS)
    def test_finds_nothing_under_an_invalid_id(self, admin, text):
        assert problem(admin.get(f"jobs/{text}/items/"))["code"] == "not_found"
