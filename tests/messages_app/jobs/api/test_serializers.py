from datetime import UTC, datetime

import pytest

from messages_app.jobs.api.serializers import JobItemSerializer
from messages_app.jobs.models import Job, LedgerRow
from tests.support.api_client import ApiClient, caller
from tests.support.distinct_rows import check_body
from tests.support.factories import make_message
from tests.support.ledgers import store_decided_chunk, store_ledger

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def minute(number: int) -> datetime:
    return datetime(2026, 11, 2, 12, number, tzinfo=UTC)


class TestJob:
    def test_has_each_value_of_its_own_column(self, admin):
        job = Job.objects.create(
            job_id=9001,
            kind="restart",
            state="paused",
            filter={"state": ["FAILED"]},
            options={"total": True},
            reason="the bank is back",
            watermark=minute(1),
            cutoff=minute(2),
            last_msg_id=9002,
            chunk_count=31,
            created_by="grace",
            created_at=minute(3),
            started_at=minute(4),
            finished_at=minute(5),
            attempt=32,
            heartbeat_at=minute(6),
            lease_until=minute(7),
            step="warming_up",
            rate=33.5,
            paced_until=minute(8),
            paused_for="canary",
            paused_at=minute(9),
            resumed_attempt=34,
            undo_of=9003,
            retry_of=9004,
            report={"estimate": 35},
            error="the last error",
        )
        outcomes = (
            ["done"] * 4 + ["skipped:moved_on"] * 3 + ["skipped:locked"] * 2 + ["failed:uq_x"] + [None] * 5
        )
        store_ledger(job, dict(enumerate(outcomes, start=1)))
        expected = {
            "job_id": 9001,
            "kind": "restart",
            "state": "paused",
            "step": None,
            "filter": {"state": ["FAILED"]},
            "options": {"total": True},
            "dry_run": False,
            "watermark": "2026-11-02T12:01:00Z",
            "planned": 15,
            "done": 4,
            "skipped": 5,
            "failed": 1,
            "outcomes": {"done": 4, "failed:uq_x": 1, "skipped:locked": 2, "skipped:moved_on": 3},
            "attempt": 32,
            "created_by": "grace",
            "created_at": "2026-11-02T12:03:00Z",
            "started_at": "2026-11-02T12:04:00Z",
            "finished_at": "2026-11-02T12:05:00Z",
            "heartbeat_at": "2026-11-02T12:06:00Z",
            "rate": 33.5,
            "reason": "the bank is back",
            "report": {"estimate": 35},
            "error": "the last error",
            "paused_for": "canary",
            "undo_of": 9003,
            "retry_of": 9004,
        }
        assert admin.get("jobs/9001/").json() == expected
        assert admin.get("jobs/").json()["results"] == [expected]
        Job.objects.update(state="planning")
        assert admin.get("jobs/9001/").json() == expected | {"state": "planning", "step": "warming_up"}


class TestItems:
    def test_lists_all_done_messages_of_chunks_larger_than_a_page_in_both_directions(self, admin):
        job = Job.objects.create(kind="cancel", state="done", reason="r", attempt=1, chunk_count=4)
        # Chunk 1 has no done message, and message numbers do not follow the order of the chunks.
        done = {0: range(40, 48), 2: range(1, 6), 3: range(20, 27)}
        for chunk_no, ids in {**done, 1: range(60, 64)}.items():
            outcome = "done" if chunk_no in done else "skipped:moved_on"
            store_decided_chunk(job, chunk_no, dict.fromkeys(ids, outcome))
        expected = [msg_id for chunk_no in (0, 2, 3) for msg_id in done[chunk_no]]

        pages = [admin.get(f"jobs/{job.pk}/items/?outcome=done&page_size=3").json()]
        while pages[-1]["next"]:
            pages.append(admin.get(pages[-1]["next"].partition("/api/v1/")[2]).json())
        back = [pages[-1]]
        while back[-1]["previous"]:
            back.append(admin.get(back[-1]["previous"].partition("/api/v1/")[2]).json())

        assert [row["msg_id"] for page in pages for row in page["results"]] == expected
        assert [row["msg_id"] for page in reversed(back) for row in page["results"]] == expected

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

    def test_have_each_value_of_their_own_column(self):
        check_body(
            JobItemSerializer,
            LedgerRow,
            without={"job_id", "chunk_no", "chunk_has_done"},
            also={"outcome_kind": "skipped", "outcome_reason": "moved_on", "resent_as": None},
            old_state="FAILED",
            new_state="CANCEL",
            outcome="skipped:moved_on",
        )


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
