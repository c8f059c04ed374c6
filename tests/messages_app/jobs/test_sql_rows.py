"""Statements on jobs: each condition has a job that only it leaves out, and each change is compared whole."""

from datetime import datetime, timedelta

import pytest
from psycopg.types.json import Jsonb

from messages_app.jobs.models import Job, JobChunk
from tests.messages_app.jobs.changed_jobs import change_of, is_now, statements, store_job
from tests.support.factories import NOON, make_message, make_request, make_response
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


CANARY = {"paused": "paused", "paused_for": "canary", "undecided": "canary_undecided", "limit_s": 600.0}
SECOND_PERSON = {"waiting": "planned", "paused_for": "second_person"}


class TestNoteCanary:
    def values(self, attempt: int = 2, **values: object) -> dict[str, object]:
        report = {"canary": {"ok": 3}}
        return {**CANARY, "attempt": attempt, "report": Jsonb(report), **values}

    def waiting(self, **columns: object) -> int:
        paused = {"state": "paused", "paused_for": "canary", "paused_at": transaction_time()}
        return store_job(**{**paused, "report": {"canary": {"ok": 1}, "confirmed": 5}, **columns})

    def test_replaces_the_figures_of_a_job_that_waits(self):
        job = self.waiting()
        self.waiting()
        rows, changed = change_of("note_canary", job, self.values())
        assert (rows, changed) == ([("canary",)], {"report": {"canary": {"ok": 3}, "confirmed": 5}})

    def test_lets_it_wait_for_an_operator_after_the_limit(self):
        job = self.waiting(paused_at=transaction_time() - 601 * SECOND)
        rows, changed = change_of("note_canary", job, self.values())
        assert (rows, changed["paused_for"]) == ([("canary_undecided",)], "canary_undecided")
        rows, changed = change_of("note_canary", job, self.values(limit_s=9_999.0))
        assert (rows, changed) == ([], {})
        still = self.values(paused_for="canary_undecided", limit_s=9_999.0, report=Jsonb({"x": 1}))
        rows, changed = change_of("note_canary", job, still)
        assert (rows, set(changed)) == ([("canary_undecided",)], {"report"})

    @pytest.mark.parametrize(
        "columns", [{"attempt": 1}, {"attempt": 3}, {"state": "running"}, {"paused_for": "operator"}]
    )
    def test_leaves_any_other_job(self, columns):
        self.waiting()
        assert change_of("note_canary", self.waiting(**columns), self.values()) == ([], {})


class TestStopByItself:
    VALUES = {"stopping": "stopping", "error": "3 of 4 failed.", "attempt": 2, "from_state": "paused"}

    def test_stops_the_job_with_its_reason_and_the_time_of_the_decision(self):
        job = store_job(
            state="paused", paused_for="canary", paused_at=NOON, error="old", report={"canary": {"ok": 1}}
        )
        store_job(state="paused")
        rows, changed = change_of("stop_by_itself", job, {**self.VALUES, "report": Jsonb({"rate": 7})})
        report = changed.pop("report")
        assert is_now(datetime.fromisoformat(report["canary"].pop("decided_at")))
        assert (rows, report) == ([("stopping",)], {"canary": {"ok": 1}, "rate": 7})
        assert changed == {
            "state": "stopping",
            "paused_for": "",
            "paused_at": None,
            "error": "3 of 4 failed.",
        }

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ({}, {"rate": 7}),
            ({"rate": 8, "confirmed": 5}, {"rate": 8, "confirmed": 5}),
            (
                {"canary": {"decided_at": "2026-11-01", "ok": 1}},
                {"canary": {"decided_at": "2026-11-01", "ok": 1}, "rate": 7},
            ),
        ],
    )
    def test_keeps_what_the_report_has(self, before, after):
        job = store_job(state="paused", report=before)
        _, changed = change_of("stop_by_itself", job, {**self.VALUES, "report": Jsonb({"rate": 7})})
        assert changed.get("report", before) == after

    @pytest.mark.parametrize("columns", [{"attempt": 1}, {"attempt": 3}, {"state": "running"}])
    def test_leaves_any_other_job(self, columns):
        job = store_job(**{"state": "paused", **columns})
        assert change_of("stop_by_itself", job, {**self.VALUES, "report": Jsonb({"rate": 7})}) == ([], {})


class TestWaitingJobs:
    def test_out_of_space_are_selected_after_they_have_waited_long_enough(self):
        now = transaction_time()
        full = {"state": "paused", "paused_for": "disk_full", "paused_at": now - 61 * SECOND}
        jobs = [store_job(**full), store_job(**full, kind="archive")]
        store_job(**full | {"paused_at": now - 20 * SECOND}), store_job(**full | {"state": "queued"})
        store_job(**full | {"paused_for": "operator"})
        found = statements.fetch_rows(
            "jobs_to_try_again", {"paused": "paused", "paused_for": "disk_full", "wait_s": 60.0}
        )
        assert sorted(found) == [(job,) for job in jobs]

    def test_undecided_are_selected_after_they_have_waited_for_hours(self):
        now = transaction_time()
        waiting = {"state": "planned", "paused_for": "second_person", "paused_at": now - 24 * HOUR}
        job = store_job(**waiting)
        store_job(**waiting | {"paused_at": now - 23 * HOUR}), store_job(**waiting | {"state": "paused"})
        store_job(**waiting | {"paused_for": "confirmation"})
        assert statements.fetch_rows("undecided_jobs", {**SECOND_PERSON, "hours": 24}) == [(job,)]

    def test_unwatched_are_live_without_a_lease_in_the_order_of_ids(self):
        now = transaction_time()
        lease = {7_000_003: now - SECOND, 7_000_002: None, 7_000_001: now - HOUR}
        for attempt, (job_id, until) in enumerate(lease.items()):
            state = "queued" if attempt else "running"
            store_job(job_id=job_id, lease_until=until, attempt=attempt, state=state)
        store_job(lease_until=now + HOUR), store_job(state="paused")
        store_job(state="done", lease_until=now - HOUR)
        live = {"live_states": ["planning", "queued", "running", "stopping"]}
        found = statements.fetch_rows("unwatched_jobs", live)
        assert found == [(7_000_001, 2), (7_000_002, 1), (7_000_003, 0)]


class TestSecondPerson:
    APPROVE = {**SECOND_PERSON, "queued": "queued", "person": "bob", "person_id": 2}
    REFUSE = {**SECOND_PERSON, "stopping": "stopping", "error": "No.", "person": "bob", "person_id": 2}
    WAITING = {
        "state": "planned",
        "paused_for": "second_person",
        "paused_at": NOON,
        "report": {"confirmed": 5},
    }

    def test_approves_the_job_of_another_one(self):
        rows, changed = change_of("approve_job", store_job(**self.WAITING), self.APPROVE)
        report = changed.pop("report")
        assert is_now(datetime.fromisoformat(report.pop("approved_at")))
        assert report == {"confirmed": 5, "approved_by": "bob"}
        assert is_now(changed.pop("heartbeat_at"))
        assert rows == [("queued",)]
        assert changed == {"state": "queued", "paused_for": "", "paused_at": None, "resumed_attempt": 2}

    def test_refuses_the_job_of_another_one(self):
        rows, changed = change_of("refuse_job", store_job(**self.WAITING), self.REFUSE)
        assert rows == [("stopping",)]
        assert changed == {"state": "stopping", "paused_for": "", "paused_at": None, "error": "No."}

    @pytest.mark.parametrize("name", ["approve_job", "refuse_job"])
    @pytest.mark.parametrize(
        ("columns", "may"),
        [
            ({"created_by": "bob"}, True),  # an earlier user of this name
            ({"creator_id": None}, True),
            ({"creator_id": None, "created_by": "bob"}, False),
            ({"creator_id": 2}, False),
            ({"state": "paused"}, False),
            ({"paused_for": "confirmation"}, False),
        ],
    )
    def test_decides_only_about_waiting_jobs_of_others(self, name, columns, may):
        rows, changed = change_of(name, store_job(**self.WAITING | columns), self.APPROVE | self.REFUSE)
        assert (bool(rows), bool(changed)) == (may, may)


class TestSteering:
    RESUME = {
        "planning": "planning",
        "queued": "queued",
        "paused": "paused",
        "paused_for": ["operator", "confirmation"],
        "confirmation": "confirmation",
        "confirmed": None,
    }
    PAUSED = {
        "state": "paused",
        "paused_for": "operator",
        "paused_at": NOON,
        "paced_until": NOON,
        "error": "old",
        "chunk_count": 3,
    }

    def test_pauses_resumes_and_changes_the_rate(self):
        job = store_job(paced_until=NOON)
        steering = {"from_states": ["queued", "running"]}
        paused = {"paused": "paused", "paused_for": "operator", **steering}
        rows, changed = change_of("pause_job", job, paused)
        assert is_now(changed.pop("paused_at"))
        assert (rows, changed) == ([("paused",)], {"state": "paused", "paused_for": "operator"})
        assert change_of("pause_job", job, paused) == ([], {})
        assert change_of("change_rate", job, {"rate": 5.0, **steering}) == ([], {})
        rows, changed = change_of("change_rate", job, {"rate": 5.0, "from_states": ["paused"]})
        assert (rows, changed) == ([("paused",)], {"rate": 5.0, "paced_until": None})

    @pytest.mark.parametrize(("chunk_count", "state"), [(3, "queued"), (None, "planning"), (0, "queued")])
    def test_resumes_with_or_without_a_plan(self, chunk_count, state):
        rows, changed = change_of(
            "resume_job", store_job(**self.PAUSED | {"chunk_count": chunk_count}), self.RESUME
        )
        assert rows == [(state,)]
        assert is_now(changed.pop("heartbeat_at"))
        assert changed == {
            "state": state,
            "paused_for": "",
            "paused_at": None,
            "paced_until": None,
            "error": "",
            "resumed_attempt": 2,
        }

    @pytest.mark.parametrize(
        ("columns", "values", "may"),
        [
            ({"state": "running"}, {}, False),
            ({"paused_for": "canary"}, {}, False),
            ({"paused_for": "canary"}, {"paused_for": None}, True),
            ({"paused_for": "confirmation", "report": {"to_do": 110}}, {"confirmed": 100}, True),
            ({"paused_for": "confirmation", "report": {"to_do": 111}}, {"confirmed": 100}, False),
            ({"paused_for": "confirmation", "report": {"to_do": 1}}, {}, False),
            ({"paused_for": "operator", "report": {"to_do": 111}}, {"confirmed": 100}, True),
        ],
    )
    def test_resumes_only_for_the_reasons_that_are_settled(self, columns, values, may):
        rows, changed = change_of("resume_job", store_job(**self.PAUSED | columns), self.RESUME | values)
        assert (bool(rows), bool(changed)) == (may, may)

    def test_resuming_records_the_confirmed_number_or_the_decision_about_the_test_batch(self):
        report = {"to_do": 11, "canary": {"ok": 1}, "confirmed": 7}
        job = store_job(**self.PAUSED | {"paused_for": "confirmation", "report": report})
        _, changed = change_of("resume_job", job, self.RESUME | {"confirmed": 12})
        assert changed["report"] == report | {"confirmed": 12}
        job = store_job(**self.PAUSED | {"report": report})
        _, changed = change_of("resume_job", job, self.RESUME | {"confirmed": 12})
        assert is_now(datetime.fromisoformat(changed["report"]["canary"].pop("decided_at")))
        assert changed["report"] == report
        job = store_job(**self.PAUSED | {"report": {"canary": {"decided_at": "2026-11-01"}}})
        assert "report" not in change_of("resume_job", job, self.RESUME)[1]

    def test_stops_immediately_if_no_worker_has_started_it(self):
        values = {"stopped": "stopped", "stopping": "stopping", "from_states": ["queued", "paused"]}
        paused = self.PAUSED | {"attempt": 0}
        rows, changed = change_of("stop_job", store_job(**paused), values)
        assert is_now(changed.pop("finished_at"))
        cleared = {"paused_for": "", "paused_at": None, "error": ""}
        assert (rows, changed) == ([("stopped",)], {"state": "stopped", **cleared})
        rows, changed = change_of("stop_job", store_job(**paused | {"attempt": 1}), values)
        assert (rows, changed) == ([("stopping",)], {"state": "stopping", **cleared})
        assert change_of("stop_job", store_job(), values) == ([], {})


class TestFigures:
    @pytest.fixture
    def job(self) -> int:
        """Store a job with four chunks, and one of another job with the same numbers."""
        job, other = store_job(resumed_attempt=3), store_job(resumed_attempt=9)
        for number, (job_id, content, attempt, outcomes, moved, committed) in enumerate(
            (
                (job, "messages", 5, {"done": 1, "failed:x": 2}, {"message": 10, "job-1-a": 7}, NOON),
                (job, "messages", 2, {"done": 4}, {"message": 20, "file/a": 3}, None),
                (job, "orphan_requests", None, {"done": 8}, {"request": 40, "file/b": 4}, None),
                (job, "messages", None, {}, {"job-1-b": 9, "job-10-c": 5}, NOON),
                (other, "messages", 8, {"done": 16}, {"message": 80, "job-1-d": 6}, None),
            )
        ):
            JobChunk.objects.create(
                job_id=job_id,
                chunk_no=number,
                content=content,
                planned=10 * (number + 1),
                attempt=attempt,
                outcomes=outcomes,
                moved=moved,
                committed_at=committed,
            )
        return job

    def test_are_sums_of_all_chunks_of_the_job(self, job):
        assert sorted(statements.fetch_rows("sum_outcomes", {"job_ids": [job]}), key=str) == sorted(
            [
                (job, "messages", None, 70),
                (job, "orphan_requests", None, 30),
                (job, "messages", "done", 5),
                (job, "messages", "failed:x", 2),
                (job, "orphan_requests", "done", 8),
            ],
            key=str,
        )
        assert statements.fetch_rows("moved_rows", {"job_id": job}) == [
            ("file", 7),
            ("job-1-a", 7),
            ("job-1-b", 9),
            ("job-10-c", 5),
            ("message", 30),
            ("request", 40),
        ]

    def test_parts_of_an_export_have_the_prefix_of_the_job(self, job):
        JobChunk.objects.filter(job_id=job, chunk_no=0).update(chunk_no=9)
        found = statements.fetch_rows("export_parts", {"job_id": job, "prefix": "job-1-"})
        assert found == [(3, "job-1-b", 9), (9, "job-1-a", 7)]

    def test_pending_chunks_are_in_the_order_of_the_plan(self, job):
        JobChunk.objects.filter(job_id=job, chunk_no=1).update(chunk_no=8)
        assert statements.fetch_rows("pending_chunks", {"job_id": job}) == [(2,), (8,)]

    @pytest.mark.parametrize(("resumed", "last"), [(3, 5), (6, 6)])
    def test_the_last_progress_is_of_a_chunk_or_a_resume(self, job, resumed, last):
        Job.objects.filter(pk=job).update(resumed_attempt=resumed)
        assert statements.fetch_rows("last_progress", {"job_id": job}) == [(last,)]
        assert statements.fetch_rows("last_progress", {"job_id": store_job()}) == [(0,)]


class TestFiles:
    def test_are_kept_until_they_expire(self):
        now = transaction_time()
        kept, edge, over = (
            store_job(report={"expires_at": at.isoformat()}) for at in (now + SECOND, now, now - SECOND)
        )
        store_job(report={"expires_at": (now + HOUR).isoformat()})
        found = statements.fetch_rows("exports_kept", {"job_ids": [kept, edge, over, store_job()]})
        assert found == [(kept,)]
        assert statements.fetch_rows("export_expires_at", {"days": 3}) == [(now + 72 * HOUR,)]

    def test_a_removal_is_noted_once(self):
        job = store_job(report={"bytes": 7})
        rows, changed = change_of("note_export_removal", job, {})
        assert rows == [(job,)]
        removed_at = datetime.fromisoformat(changed["report"].pop("removed_at"))
        assert (removed_at, changed) == (transaction_time(), {"report": {"bytes": 7}})
        assert change_of("note_export_removal", job, {}) == ([], {})


class TestTimes:
    def test_the_deadline_of_an_undo_is_hours_after_the_end(self):
        now = transaction_time()
        for finished, deadline in (
            (now - 24 * HOUR, (now, True)),
            (now - 23 * HOUR, (now + HOUR, False)),
            (None, (None, None)),
        ):
            assert statements.fetch_rows(
                "undo_deadline", {"job_id": store_job(finished_at=finished), "hours": 24}
            ) == [deadline]

    def test_the_point_of_a_freeze_is_now_and_months_ago(self):
        now = transaction_time()
        assert statements.fetch_rows("freeze_point", {"older_than_months": None}) == [(now, now)]
        ((point, cutoff),) = statements.fetch_rows("freeze_point", {"older_than_months": 2})
        assert point == now
        assert 59 <= (now - cutoff).days <= 62

    def test_responses_without_time_are_of_no_request_and_no_live_message(self):
        live = make_message()
        for msg_id in (None, live.pk + 1, live.pk):
            make_response(None, msg_id=msg_id, res_timestamp=None)
        make_response(None, msg_id=None), make_response(make_request(None), res_timestamp=None)
        assert statements.fetch_rows("responses_without_time", {}) == [(2,)]
