"""
The steps before the console leaves its hub: its jobs end, and its audit log is kept in a file.

Source: docs/howto/attach.md, "Detach".
"""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone
from messages_app.audit.services import SYSTEM
from messages_app.jobs.errors import JobConflict, JobNotFound
from messages_app.jobs.models import Job
from messages_app.jobs.services.control import stop_job
from messages_app.shared.job_states import ACTIVE_STATES

_SECONDS_FOR_JOBS = 60.0
_SECONDS_BETWEEN = 0.5


class StillWorking(Exception):
    """A worker did not stop its job in time."""


def end_jobs(*, seconds: float = _SECONDS_FOR_JOBS, waiting: bool = False) -> None:
    """
    Stop the jobs that a worker has, and wait until it has finished its chunks. Others are only rows.

    Args:
        waiting: also stop the others. If their rows are kept, a later `attach` would continue them.

    Raises:
        StillWorking: a job is not finished after `seconds`.
    """
    until = time.monotonic() + seconds
    stopped = (
        Job.objects.filter(state__in=sorted(ACTIVE_STATES)).order_by("pk")
        if waiting
        else _select_working_jobs()
    )
    for job_id in stopped.values_list("pk", flat=True):
        with suppress(JobConflict, JobNotFound):  # It has ended in the meantime.
            stop_job(job_id=job_id, actor=SYSTEM, reason="The console is detached from its hub.")
    while job := _select_working_jobs().first():
        if time.monotonic() > until:
            raise StillWorking(f"Job {job.pk} is not finished yet. Stop the console first.")
        time.sleep(_SECONDS_BETWEEN)


def job_at_work() -> Job | None:
    """Return the first job that a worker has, or None."""
    return _select_working_jobs().first()


def _select_working_jobs() -> QuerySet[Job]:
    """Return the jobs that a worker has taken and whose lease has not run out."""
    return Job.objects.filter(state__in=sorted(ACTIVE_STATES), lease_until__gt=Now()).order_by("pk")


def export_audit(path: Path) -> int:
    """
    Write the audit log to a new file and return the number of its entries.

    One JSON object a line: a row of `audit_entry`, then of `audit_seal` and `audit_tombstone`, which prove
    that nothing was changed; `table` names it.

    Raises:
        OSError: the file exists or cannot be written.
    """
    entries = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        for row in _audit_rows():
            file.write(json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n")
            entries += row["table"] == AuditEntry._meta.db_table
    return entries


def _audit_rows() -> Iterator[dict[str, object]]:
    for model in (AuditEntry, AuditSeal, AuditTombstone):
        for row in model._default_manager.order_by("pk").values().iterator():
            yield {"table": model._meta.db_table, **row}
