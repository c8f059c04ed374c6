"""The row and the audit entry of each new job, compared whole."""

from datetime import timedelta

import pytest

from messages_app.jobs.models import Job
from messages_app.jobs.preview.quick import first_estimate
from messages_app.jobs.services.create import create_job
from messages_app.shared.job_states import BulkGuard, JobState
from tests.messages_app.jobs.requested import request_of
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_message, make_user
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

# The columns of every new job.
NEW = {
    "state": "planning",
    "chunk_count": None,
    "created_by": "grace",
    "creator_id": 71,
    "started_at": None,
    "finished_at": None,
    "attempt": 0,
    "heartbeat_at": None,
    "lease_until": None,
    "step": "",
    "paced_until": None,
    "paused_for": "",
    "paused_at": None,
    "resumed_attempt": 0,
    "undo_of": None,
    "retry_of": None,
    "error": "",
    "is_end_noted": False,
}


def create(kind: str, filter: dict[str, object], *, dry_run: bool = False, **more: object) -> Job:
    asked = {"options": {}, "reason": f"why {kind}", "actor": GRACE, "user": None}
    return create_job(kind=kind, filter=filter, dry_run=dry_run, **asked | more)


def row_of(job: Job) -> dict[str, object]:
    row = Job.objects.values().get(pk=job.pk)
    assert row.pop("job_id") == job.pk
    assert row.pop("created_at") - row["watermark"] < timedelta(minutes=1)
    return row


@pytest.fixture(autouse=True)
def last_id() -> int:
    return max(make_message(state=state).pk for state in ("FAILED", "NEW"))


def test_a_job_has_what_was_asked_and_defines_its_set_now(last_id):
    now = transaction_time()
    options = {"rate": 5.0, "canary": 3, "stop_at_failure_rate": 0.25}
    job = create("restart", {"state": "FAILED"}, options=options, confirmed=17)
    assert row_of(job) == NEW | {
        "kind": "restart",
        "filter": {"state": "FAILED"},
        "options": options | {"total": False, "also_resent": False},
        "dry_run": False,
        "reason": "why restart",
        "watermark": now,
        "cutoff": now,
        "last_msg_id": last_id,
        "rate": 5.0,
        "report": {"confirmed": 17},
    }
    details = {
        "options": options | {"total": False, "also_resent": False},
        "filter": {"state": "FAILED"},
        "confirmed": 17,
    }
    assert audit_rows() == [by_grace("restart", job_id=job.pk, reason="why restart", details=details)]


def test_a_dry_run_has_its_first_estimate(last_id):
    now = transaction_time()
    job = create("archive", {"service_name": "billing"}, dry_run=True, options={"older_than_months": 2})
    row = row_of(job)
    options = {"older_than_months": 2, "to": "tables"}
    expected = first_estimate(request_of("archive", {"service_name": "billing"}, **options))
    assert set(row.pop("report")["estimate"]) == set(expected["estimate"])
    assert 59 <= (now - row.pop("cutoff")).days <= 62
    assert row == NEW | {
        "kind": "archive",
        "filter": {"service_name": "billing"},
        "options": options,
        "dry_run": True,
        "reason": "why archive",
        "watermark": now,
        "last_msg_id": last_id,
        "rate": None,
    }
    details = {"options": options, "filter": {"service_name": "billing"}}
    assert audit_rows() == [by_grace("archive.preview", job_id=job.pk, reason="why archive", details=details)]


@pytest.mark.parametrize(
    ("columns", "report"),
    [
        ({}, {"second_person_from": 500}),
        ({"confirmed": 7}, {"second_person_from": 500, "confirmed": 7}),
        ({"is_scheduled": True}, {}),
        ({"guard": BulkGuard.PASSWORD}, {}),
        ({"kind": "export"}, {}),
    ],
)
def test_a_job_keeps_from_which_number_on_a_second_person_decides(settings, columns, report):
    settings.BULK_GUARD = columns.pop("guard", BulkGuard.SECOND_PERSON)
    settings.BULK_GUARD_FROM = 500
    kind = columns.pop("kind", "cancel")
    assert create(kind, {"state": "NEW"}, **columns).report == report
    assert "second_person_from" not in create(kind, {"state": "NEW"}, dry_run=True).report


@pytest.mark.parametrize(
    ("others", "status"),
    [
        ([{}, {}], 429),
        ([{}, {"is_of_another": True}], None),
        ([{}, {"state": "done"}], None),
        ([{}, {"state": "planned", "dry_run": True}], None),
        ([{}, {"state": "planned"}], 429),
        ([{}, {"state": "running", "dry_run": True}], 429),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_user_has_a_number_of_active_jobs(settings, others, status, dry_run):
    settings.JOBS_PER_USER = 2
    ada = make_user("admin")
    for columns in others:
        columns = {"state": "running", "creator_id": ada.pk} | columns
        columns["creator_id"] += columns.pop("is_of_another", False)
        Job.objects.create(kind="cancel", reason="r", created_by="ada", **columns)
    who = {"user": ada, "dry_run": dry_run}
    if status is None:
        assert create("cancel", {"state": "NEW"}, **who).state == JobState.PLANNING
    else:
        with pytest.raises(Exception, match="You already have 2 active jobs, the maximum") as refused:
            create("cancel", {"state": "NEW"}, **who)
        assert (refused.value.status, refused.value.code) == (429, "too_many_jobs")
        assert refused.value.headers == {"Retry-After": "60"}
        assert audit_rows() == []
    for unlimited in ({"user": None}, {"user": ada, "is_scheduled": True}):
        assert create("cancel", {"state": "NEW"}, **unlimited).created_by == "grace"


def test_an_age_limit_is_counted_in_months_before_now():
    now = transaction_time()
    job = create("archive_history", {}, options={"older_than_months": 1})
    assert timedelta(days=28) <= now - row_of(job)["cutoff"] <= timedelta(days=31)
