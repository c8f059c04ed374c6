"""
A token with scopes creates, steers and reads only the jobs that its scopes allow, whatever its user may do.
"""

import pytest

from messages_app.access.models import ApiToken
from messages_app.access.scopes import SCOPES
from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import why_not_allowed
from messages_app.shared.job_states import JobKind
from tests.messages_app.jobs.stored_jobs import user_id_of
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db

# By kind: the required scope in addition to jobs:run, and a filter.
KINDS = {
    "archive": ("archive:run", {}),
    "restore": ("archive:run", {"state": "OK"}),
    "archive_history": ("archive:run", {}),
    "restart": ("messages:act", {"state": "FAILED"}),
    "cancel": ("messages:act", {"state": "FAILED"}),
    "reprocess": ("store:act", {"status": "26"}),
    "export": ("messages:read", {"state": "OK"}),
    "group_failures": ("failures:act", {}),
    "index_keys": ("keys:manage", {}),
    "analyse": ("messages:read", {"state": "FAILED"}),
}
CONTENT = {
    "payload_contains": "Ada",
    "receive_timestamp_from": "2026-11-01T00:00:00Z",
    "receive_timestamp_to": "2026-11-02T00:00:00Z",
}


@pytest.fixture
def client() -> ApiClient:
    """A client of a user who has all permissions. `give` sets the scopes of its token."""
    return caller("admin", "view_payload", scopes=["jobs:run"])


def give(*scopes: str) -> None:
    ApiToken.objects.update(scopes=["jobs:run", *scopes])


def create(client: ApiClient, kind: str, **body: object):
    return client.post("jobs/", {"kind": kind, "reason": "r", "filter": KINDS[kind][1]} | body)


def wanted(response: object) -> str:
    assert response.status_code == 403
    return problem(response)["scope"]


class TestJobListView:
    def test_has_a_row_for_every_kind_here(self):
        assert {*KINDS, "resend"} == set(JobKind)

    @pytest.mark.parametrize("kind", KINDS)
    def test_makes_a_kind_with_only_its_scope(self, client, kind):
        scope, _ = KINDS[kind]
        give(*(name for name in SCOPES if name != scope))
        for dry_run in (True, False):
            assert wanted(create(client, kind, dry_run=dry_run)) == scope
        assert not Job.objects.exists()
        give(scope)
        assert create(client, kind).status_code == 202

    def test_resends_with_both_scopes_of_payloads(self):
        client = caller("admin", "view_payload", "edit_payload", scopes=["jobs:run"])
        body = {
            "filter": {"state": "FAILED"},
            "options": {"find": "a", "replace": ""},
            "kind": "resend",
            "reason": "r",
        }
        for scope in ("payload:edit", "payload:read"):
            give(*(name for name in SCOPES if name != scope))
            assert client.post("jobs/", body).status_code == 403
        give("payload:edit", "payload:read", "jobs:run")
        assert client.post("jobs/", body).status_code == 202

    def test_records_the_required_scope(self, client):
        create(client, "restart")
        entry = AuditEntry.objects.get(action="create_job")
        assert (entry.outcome, entry.token_name, entry.details["scope"]) == (
            "refused",
            "test",
            "messages:act",
        )

    def test_exports_payloads_with_only_their_scope(self, client):
        give("messages:read")
        options = {"payload": True}
        assert wanted(create(client, "export", options=options)) == "payload:read"
        give("messages:read", "payload:read")
        assert create(client, "export", options=options).status_code == 202

    @pytest.mark.parametrize("kind", ["export", "restart", "cancel", "archive"])
    def test_searches_payloads_with_only_their_scope(self, client, kind):
        give(KINDS[kind][0])
        body = problem(create(client, kind, filter=CONTENT))
        assert body["errors"][0]["field"] == "filter.payload_contains"
        give(KINDS[kind][0], "payload:read")
        assert create(client, kind, filter=CONTENT).status_code == 202

    def test_repeats_no_answer_for_a_token_without_permission(self, client):
        give("archive:run")
        body = {"kind": "archive", "reason": "r"}
        made = client.post("jobs/", body, Idempotency_Key="k")
        give()
        assert wanted(client.post("jobs/", body, Idempotency_Key="k")) == "archive:run"
        give("archive:run")
        again = client.post("jobs/", body, Idempotency_Key="k")
        assert (again.json(), again.headers["Idempotent-Replayed"]) == (made.json(), "true")

    def test_makes_a_job_that_runs_with_the_rights_of_its_user(self, client):
        give("messages:act")
        job = Job.objects.get(pk=create(client, "restart").json()["job_id"])
        assert (job.created_by, why_not_allowed(job)) == ("ada", "")
        client.user.groups.clear()
        assert "messages_app.restart_message" in why_not_allowed(job)


class TestSteering:
    def job(self, **columns: object) -> Job:
        columns = {"kind": "restart", "state": "running", "reason": "r", "chunk_count": 1} | columns
        return Job.objects.create(creator_id=user_id_of(columns.get("created_by")), **columns)

    @pytest.mark.parametrize("step", ["pause", "resume", "stop", "undo", "retry-failed", "approve", "refuse"])
    def test_needs_the_scope_of_the_kind(self, client, step):
        job = self.job(created_by="grace")
        assert wanted(client.post(f"jobs/{job.pk}/{step}/", {"reason": "r"})) == "messages:act"
        assert Job.objects.get().state == "running"
        give("messages:act")
        assert client.post(f"jobs/{job.pk}/{step}/", {"reason": "r"}).status_code in {200, 409}

    def test_needs_it_for_another_rate(self, client):
        job = self.job()
        assert wanted(client.send("PATCH", f"jobs/{job.pk}/", b'{"rate": 1}')) == "messages:act"
        assert Job.objects.get().rate is None

    def test_needs_the_scope_of_archiving_for_an_export_of_another_user(self, client):
        job = self.job(kind="export", created_by="grace")
        give("messages:read")
        assert wanted(client.post(f"jobs/{job.pk}/pause/", {"reason": "r"})) == "archive:run"

    def test_names_no_scope_if_none_would_help(self, client):
        job = self.job(created_by="ada", state="planned", paused_for="second_person")
        give("messages:act")
        body = problem(client.post(f"jobs/{job.pk}/approve/", {"reason": "r"}))
        assert (body["status"], "scope" in body) == (403, False)


class TestDownload:
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_of_payloads_needs_their_scope(self, client, method):
        options = {"payload": True, "format": "csv"}
        job = Job.objects.create(
            kind="export",
            state="running",
            reason="r",
            created_by="ada",
            creator_id=user_id_of("ada"),
            options=options,
        )
        give("messages:read")
        response = client.send(method, f"jobs/{job.pk}/download/")
        assert response.status_code == 403
        assert method == "HEAD" or wanted(response) == "payload:read"
        entry = AuditEntry.objects.get(action="download_export")
        assert (entry.outcome, entry.details["scope"]) == ("refused", "payload:read")
        give("messages:read", "payload:read")
        assert client.send(method, f"jobs/{job.pk}/download/").status_code == 409
