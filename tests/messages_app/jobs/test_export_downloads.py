"""The download of an export: permissions, contents, and the error without a file."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from tests.messages_app.jobs.stored_jobs import user_id_of
from tests.support.api_client import caller, problem
from tests.support.exports import file_of, folder_of, folder_of_exports
from tests.support.page_client import client_of, reader_of, show_values

pytestmark = pytest.mark.django_db

BODY = b"msg_id\r\n1\r\n"


@pytest.fixture(autouse=True)
def no_exports():
    yield
    shutil.rmtree(folder_of_exports(), ignore_errors=True)


def made(*, payload: bool = False, **columns: object) -> Job:
    """Store a finished export by ada, with its file."""
    job = Job.objects.create(
        **{
            "kind": "export",
            "state": "done",
            "options": {"format": "csv", "payload": payload},
            "reason": "x",
            "created_by": "ada",
            "creator_id": user_id_of(columns.get("created_by", "ada")),
            "finished_at": datetime.now(UTC),
        }
        | columns
    )
    folder_of(job.pk).mkdir(parents=True)
    file_of(job).write_bytes(BODY)
    made = {"files": [{"bytes": len(BODY), "sha256": "0" * 64, "rows": 1}], "expires_at": in_seconds(60)}
    job.report = made | job.report
    job.save()
    return job


def in_seconds(seconds: float) -> str:
    return (database_clock() + timedelta(seconds=seconds)).isoformat()


def addresses(job: Job) -> list[str]:
    return [reverse("job-download", args=[job.pk]), reverse("api-job-download", args=[job.pk])]


class TestDownload:
    def test_sends_the_file_to_its_maker_and_remembers_it(self):
        client, job = client_of("support"), made()
        for address in addresses(job):
            response = client.get(address)
            assert response.getvalue() == BODY
            name = f"messages-job-{job.pk}.csv"
            assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
            assert "no-store" in response.headers["Cache-Control"]
        entries = AuditEntry.objects.filter(action="download_export", job_id=job.pk, actor="ada")
        details = {"file": f"messages-job-{job.pk}.csv", "sha256": "0" * 64}
        assert [(entry.outcome, entry.details) for entry in entries] == [("done", details)] * 2

    def test_is_only_for_the_maker_and_administrators(self):
        job = made()
        others, admin = client_of("operator", username="bob"), client_of("admin", username="eve")
        assert [others.get(address).status_code for address in addresses(job)] == [403, 403]
        refused = AuditEntry.objects.filter(action="download_export", job_id=job.pk, outcome="refused")
        assert list(refused.values_list("actor", flat=True)) == ["bob", "bob"]
        assert [admin.get(address).status_code for address in addresses(job)] == [200, 200]

    def test_with_payloads_requires_the_permission_to_read_them_again(self):
        lost, kept = client_of("support"), reader_of("admin", username="eve")
        job = made(payload=True)
        assert [lost.get(address).status_code for address in addresses(job)] == [403, 403]
        assert [kept.get(address).status_code for address in addresses(job)] == [200, 200]

    def test_with_payloads_asks_a_session_for_a_reason_too(self):
        client, job = client_of("support", "view_payload"), made(payload=True)
        page, call = addresses(job)
        answer = client.get(page)
        assert answer.status_code == 403
        assert f'href="/reveal/?next={page.replace("/", "%2F")}"' in answer.content.decode()
        assert problem(client.get(call))["code"] == "reveal_required"
        refused = AuditEntry.objects.filter(action="download_export", job_id=job.pk, outcome="refused")
        assert [entry.details["refusal"] for entry in refused] == ["reveal_required"] * 2
        show_values(client)
        assert [client.get(address).status_code for address in addresses(job)] == [200, 200]

    def test_with_payloads_does_not_require_a_reason_of_a_token(self):
        reader, job = caller("support", "view_payload"), made(payload=True)
        assert reader.get(f"jobs/{job.pk}/download/").status_code == 200

    def test_with_payloads_of_another_user_never_asks_for_a_useless_reason(self):
        job, other = made(payload=True), client_of("support", "view_payload", username="bob")
        assert problem(other.get(addresses(job)[1]))["code"] == "permission_denied"

    def test_leads_to_the_log_in(self):
        page, call = addresses(made())
        assert Client().get(page).status_code == 302
        assert Client().get(call).status_code == 401

    @pytest.mark.parametrize("state", ["running", "paused", "failed", "stopped"])
    def test_offers_no_file_of_a_job_that_is_not_done(self, state):
        client = client_of("support")
        page, call = addresses(made(state=state))
        assert client.get(page).status_code == 404
        assert client.get(call).status_code == (404 if state in {"failed", "stopped"} else 409)

    @pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(BODY[:5])])
    def test_offers_no_missing_or_partial_file(self, harm):
        client = client_of("support")
        job = made()
        harm(file_of(job))
        assert [client.get(address).status_code for address in addresses(job)] == [404, 404]

    @pytest.mark.parametrize("role", ["support", "admin"])
    def test_offers_a_file_until_it_expires_even_if_it_still_exists(self, role):
        client = client_of(role)
        young, old = (made(report={"expires_at": in_seconds(seconds)}) for seconds in (60, -60))
        assert [client.get(address).status_code for address in addresses(young)] == [200, 200]
        answers = [client.get(address) for address in addresses(old)]
        assert file_of(old).exists()
        assert [answer.status_code for answer in answers] == [410, 410]
        assert "has expired" in answers[0].content.decode()
        assert json.loads(answers[1].content)["code"] == "gone"
        assert AuditEntry.objects.filter(action="download_export", job_id=old.pk).count() == 0
        page = client.get(reverse("job-detail", args=[old.pk])).content.decode()
        assert "has expired" in page
        assert addresses(old)[0] not in page

    def test_offers_no_file_without_an_expiry(self):
        client = client_of("support")
        addresses_of_it = addresses(made(report={"expires_at": None}))
        assert [client.get(address).status_code for address in addresses_of_it] == [410, 410]

    def test_reports_that_a_file_was_removed(self):
        client = client_of("support")
        _, call = addresses(made(report={"removed_at": "2026-11-20T10:00:00+00:00"}))
        response = client.get(call)
        assert response.status_code == 410
        assert "deleted on 2026-11-20" in json.loads(response.content)["detail"]

    def test_rejects_files_of_other_jobs(self):
        job = made(kind="restart")
        client = client_of("operator")
        assert [client.get(address).status_code for address in addresses(job)] == [404, 404]
        assert client.get("/jobs/99999999/download/").status_code == 404
        assert client.get("/api/v1/jobs/x/download/").status_code == 404
