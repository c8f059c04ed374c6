"""Jobs for the statements that change one: all columns that a statement changes, and no other job."""

from datetime import datetime, timedelta

from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
from tests.support.transaction_time import transaction_time

statements = Statements("messages_app.jobs")


def store_job(**columns: object) -> int:
    defaults = {"kind": "restart", "reason": "r", "created_by": "ada", "creator_id": 1, "attempt": 2}
    return Job.objects.create(**{**defaults, "state": "running", **columns}).pk


def change_of(name: str, job_id: int, values: dict[str, object]) -> tuple[list[tuple], dict[str, object]]:
    """
    Run a statement; return its rows, and the changed columns of the job. No other job may change, not even
    one with the same values.
    """
    twin = Job.objects.values().get(pk=job_id)
    Job.objects.create(**{name: value for name, value in twin.items() if name != "job_id"})
    before = {row["job_id"]: row for row in Job.objects.values()}
    rows = statements.fetch_rows(name, values | {"job_id": job_id})
    after = {row["job_id"]: row for row in Job.objects.values()}
    found = after.pop(job_id)
    was = before.pop(job_id)
    assert after == before
    return rows, {column: value for column, value in found.items() if value != was[column]}


def is_now(value: object) -> bool:
    return isinstance(value, datetime) and timedelta() <= value - transaction_time() < timedelta(hours=1)
