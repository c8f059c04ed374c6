"""The tiles of jobs and of the archive."""

from messages_app.dashboard.snapshot import Content, Snapshot
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job
from messages_app.jobs.schedules.selectors import next_start
from messages_app.messages.archive_totals import archive_totals
from messages_app.shared.job_states import ACTIVE_STATES, FINAL_STATES

_MAX_JOBS = 20
_SHOWN = ("job_id", "kind", "state", "paused_for", "created_by", "created_at")


def read_jobs(snapshot: Snapshot) -> Content:
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False).order_by("-job_id")
    return {"jobs": list(active.values(*_SHOWN)[:_MAX_JOBS])}


def read_archive(snapshot: Snapshot) -> Content:
    """Return the size of the archive, its last run and its next one."""
    totals = archive_totals()
    kinds = [spec.kind for spec in kind_specs.values() if spec.frees_space]
    runs = Job.objects.filter(kind__in=kinds, dry_run=False, state__in=sorted(FINAL_STATES))
    rows = [total.rows for total in totals if total.rows is not None]
    return {
        "tables": [
            {"table": total.table, "rows": total.rows, "stored_bytes": total.stored_bytes} for total in totals
        ],
        "rows": sum(rows),
        "bytes": sum(total.stored_bytes for total in totals),
        "last": runs.order_by("-job_id").values("job_id", "state", "finished_at").first(),
        "next_at": next_start(kinds, now=snapshot.now),
    }
