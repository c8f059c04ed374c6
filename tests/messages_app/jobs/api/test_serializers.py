import pytest

from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


class TestItems:
    def test_report_an_outcome_and_its_two_parts(self, admin):
        job = Job.objects.create(kind="cancel", state="done", reason="r", attempt=1, chunk_count=1)
        outcomes = ["done", "skipped:in_job", "failed:uq_request: a constraint"]
        store_ledger(job, {make_message().pk: outcome for outcome in outcomes}, new_state="CANCEL")
        rows = admin.get(f"jobs/{job.pk}/items/").json()["results"]
        assert [(row["outcome"], row["outcome_kind"], row["outcome_reason"]) for row in rows] == [
            ("done", "done", None),
            ("skipped:in_job", "skipped", "in_job"),
            ("failed:uq_request: a constraint", "failed", "uq_request: a constraint"),
        ]


class TestReport:
    def test_names_files_by_their_whole_address(self, admin):
        files = [
            {"name": "a.csv", "download": "/api/v1/jobs/5/download/"},
            {"name": "b"},
            "odd",
            {"download": 5},
        ]
        job = Job.objects.create(kind="export", state="done", reason="r", report={"files": files})
        expected = [files[0] | {"download": "http://testserver/api/v1/jobs/5/download/"}, *files[1:]]
        assert admin.get(f"jobs/{job.pk}/").json()["report"]["files"] == expected
        assert admin.get("jobs/").json()["results"][0]["report"]["files"] == expected
        for report in ({}, {"files": "odd"}, [1], "odd"):
            Job.objects.update(report=report)
            assert admin.get(f"jobs/{job.pk}/").json()["report"] == report
