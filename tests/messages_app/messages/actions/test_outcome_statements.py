"""Each condition of the search for the operators' changes of a message has a row that only it leaves out."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
from tests.support.ledgers import store_ledger
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.messages")
MINUTE = timedelta(minutes=1)


def enter(**columns: object) -> AuditEntry:
    defaults = {
        "actor": "ada",
        "action": "restart",
        "outcome": "done",
        "msg_id": 7,
        "before_state": "FAILED",
        "after_state": "PARTLY_FAILED",
        "reason": "the bank is back",
    }
    entry = AuditEntry.objects.create(**defaults | columns)
    entry.refresh_from_db()
    return entry


def run_job(
    msg_id: int = 7, *, outcome: str | None = "done", new_state: str | None = "CANCEL", **columns
) -> Job:
    now = transaction_time()
    defaults = {
        "kind": "cancel",
        "state": "done",
        "created_by": "grace",
        "reason": "not needed",
        "created_at": now - 9 * MINUTE,
        "finished_at": now - 5 * MINUTE,
    }
    job = Job.objects.create(**defaults | columns)
    store_ledger(job, {msg_id: outcome, 1000 + msg_id: "done"}, new_state=new_state)
    return job


def changes(**values: object) -> list[tuple[object, ...]]:
    asked = {"msg_id": 7, "most": 9, "actions": ["cancel", "restart"]}
    return statements.fetch_rows("operator_changes", asked | values)


class TestEntries:
    def test_include_jobs_that_changed_the_state_of_the_message(self):
        whole = enter(details={"total": True})
        part = enter(
            action="cancel", actor="bob", after_state="CANCEL", reason="r2", details={"total": False}
        )
        enter(outcome="refused")
        enter(after_state="")
        enter(msg_id=8)
        assert sorted(changes(), key=lambda row: row[5]) == [
            (
                "restart",
                "ada",
                "the bank is back",
                "PARTLY_FAILED",
                None,
                whole.pk,
                True,
                whole.at - MINUTE,
                whole.at,
            ),
            ("cancel", "bob", "r2", "CANCEL", None, part.pk, False, part.at - MINUTE, part.at),
        ]

    def test_are_the_newest(self):
        entries = [enter(reason=str(number)) for number in range(3)]
        assert {row[5] for row in changes(most=2)} == {entry.pk for entry in entries[1:]}

    def test_without_details_are_not_of_a_total_restart(self):
        enter()
        assert [row[6] for row in changes()] == [False]


class TestJobs:
    def test_include_jobs_that_changed_the_state_of_the_message(self):
        job = run_job()
        restart = run_job(
            kind="restart", options={"total": True}, created_by="bob", new_state="PARTLY_FAILED"
        )
        run_job(8)
        run_job(outcome="skipped:moved_on")
        run_job(outcome="failed:too_slow")
        run_job(outcome=None)
        run_job(new_state=None)
        run_job(kind="reprocess")
        created_at, finished_at = job.created_at, job.finished_at
        assert sorted(changes(), key=lambda row: row[4]) == [
            (
                "cancel",
                "grace",
                "not needed",
                "CANCEL",
                job.pk,
                None,
                False,
                created_at,
                finished_at,
            ),
            (
                "restart",
                "bob",
                "not needed",
                "PARTLY_FAILED",
                restart.pk,
                None,
                True,
                created_at,
                finished_at,
            ),
        ]

    def test_that_run_are_until_now(self):
        job = run_job(state="running", finished_at=None)
        ((*_, until),) = changes()
        assert job.created_at < transaction_time() <= until

    def test_are_the_newest(self):
        jobs = [run_job() for _ in range(3)]
        assert {row[4] for row in changes(most=2)} == {job.pk for job in jobs[1:]}

    def test_are_in_one_order_with_entries(self):
        now = transaction_time()
        old, new = (run_job(created_at=now - age * MINUTE) for age in (30, 10))
        entry = enter()
        assert [row[4] or row[5] for row in changes()] == [entry.pk, new.pk, old.pk]
        Job.objects.filter(pk=old.pk).update(created_at=Now() + MINUTE)
        assert next(row[4] for row in changes()) == old.pk
