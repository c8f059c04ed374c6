"""Read-only reports on jobs. Progress is what the ledger says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.sql import statement
from messages_app.jobs.states import ChunkContent, Outcome, outcome_kind, skipped


@dataclass(frozen=True, kw_only=True)
class JobProgress:
    """
    A job and what its ledger adds up to.

    Args:
        planned, done, skipped, failed: messages; planned is their sum once the job has ended.
        outcomes: (outcome with its reason, messages), undecided ones left out.
        orphans: rows that no message owns, by kind and then by outcome or "planned".
    """

    job: Job
    planned: int
    done: int
    skipped: int
    failed: int
    outcomes: list[tuple[str, int]]
    orphans: dict[str, dict[str, int]]

    @property
    def left(self) -> int:
        return self.planned - self.done - self.skipped - self.failed

    @cached_property
    def moved(self) -> dict[str, int]:
        """Rows moved so far, by live table; asked of the database when it is first wanted."""
        return {} if self.job.dry_run else dict(_rows("moved_rows", {"job_id": self.job.pk}))


def job_progress(job_id: int) -> JobProgress | None:
    """Return the job with its sums, None where there is no such job."""
    job = Job.objects.filter(pk=job_id).first()
    return progress_of(job) if job else None


def progress_of(job: Job) -> JobProgress:
    return progress_of_jobs([job])[0]


def progress_of_jobs(jobs: Sequence[Job]) -> list[JobProgress]:
    """Return the jobs with their sums, in their order, by one query for all."""
    sums = defaultdict(list)
    for job_id, *summed in _rows("sum_outcomes", {"job_ids": [job.pk for job in jobs if not job.dry_run]}):
        sums[job_id].append(summed)
    return [_progress_of_dry_run(job) if job.dry_run else _summed(job, sums[job.pk]) for job in jobs]


def _summed(job: Job, sums: Iterable[Sequence]) -> JobProgress:
    planned, outcomes, orphans = 0, Counter(), {}
    for content, outcome, rows in sums:
        if content != ChunkContent.MESSAGES:
            orphans.setdefault(content, {})[outcome or "planned"] = rows
        elif outcome is None:
            planned = rows
        else:
            outcomes[outcome] = rows
    kinds = Counter()
    for outcome, rows in outcomes.items():
        kinds[outcome_kind(outcome)] += rows
    return JobProgress(
        job=job,
        planned=planned,
        done=kinds[Outcome.DONE],
        skipped=kinds[Outcome.SKIPPED],
        failed=kinds[Outcome.FAILED],
        outcomes=sorted(outcomes.items()),
        orphans=orphans,
    )


def _progress_of_dry_run(job: Job) -> JobProgress:
    """Return what a dry run found: it has no ledger, only its report."""
    skipped_rows = job.report.get("skipped", {})
    return JobProgress(
        job=job,
        planned=job.report.get("planned", 0),
        done=0,
        skipped=sum(skipped_rows.values()),
        failed=0,
        outcomes=sorted((skipped(reason), rows) for reason, rows in skipped_rows.items()),
        orphans={},
    )


def _rows(name: str, values: dict[str, object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), values)
        return cursor.fetchall()
