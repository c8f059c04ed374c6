"""`manage.py archive`: make an archive job, and wait for it if asked to. Source: spec/interfaces.md 3."""

import time
from argparse import ArgumentParser, ArgumentTypeError

from django.core.management.base import BaseCommand, CommandError

from messages_app.access.actors import actor_of_command
from messages_app.jobs.queries import JobProgress, job_progress
from messages_app.jobs.services import AlreadyRunning, InvalidJob, create_job
from messages_app.jobs.states import FINAL_STATES, JobKind, JobState
from messages_app.management.progress import Progress

_POLL_SECONDS = 0.5
_PATIENCE_SECONDS = 20


def _months(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"must be a number of months, not {text!r}")
    return int(text)


class Command(BaseCommand):
    help = (
        "Move final messages that are older than so many months, with all that is theirs, to the archive. "
        "Exit status: 0 done, 1 failed or refused, 2 bad arguments."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than-months", type=_months, default=2, metavar="N")
        parser.add_argument("--to", choices=["tables"], default="tables", help="where to (%(default)s)")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be moved")
        parser.add_argument("--wait", action="store_true", help="show progress and end with the job")
        parser.add_argument("--reason", default="archive command", help="for the audit (%(default)s)")

    def handle(self, *, dry_run: bool, wait: bool, reason: str, **options: object) -> None:
        chosen = {name: options[name] for name in ("older_than_months", "to")}
        try:
            job = create_job(
                kind=JobKind.ARCHIVE,
                filter={},
                options=chosen,
                dry_run=dry_run,
                reason=reason,
                actor=actor_of_command(),
                user=None,
            )
        except InvalidJob as error:
            raise CommandError(str(error), returncode=2) from None
        except AlreadyRunning as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Job {job.pk} is made.")
        if wait:
            self._tell(self._watch(job.pk))

    def _watch(self, job_id: int) -> JobProgress:
        """Wait until the job stands still, showing how far it is."""
        progress = self._until(job_id, lambda found: found.job.attempt > 0, patience=_PATIENCE_SECONDS)
        progress = self._until(job_id, lambda found: found.job.chunk_count is not None or _is_over(found))
        with Progress(total=progress.planned, unit="messages", stream=self.stderr) as bar:
            while not _is_over(progress):
                bar.update(progress.planned - progress.left)
                time.sleep(_POLL_SECONDS)
                progress = job_progress(job_id)
            bar.update(progress.planned - progress.left)
        return progress

    def _until(self, job_id: int, is_met, *, patience: float | None = None) -> JobProgress:
        began = time.monotonic()
        while not is_met(progress := job_progress(job_id)):
            if patience is not None and time.monotonic() - began > patience:
                self.stderr.write("No worker has taken the job yet: is `make up` running? Still waiting.")
                patience = None
            time.sleep(_POLL_SECONDS)
        return progress

    def _tell(self, progress: JobProgress) -> None:
        """Print the outcome; a job that did not end well is an error of the command."""
        words = (
            f"Job {progress.job.pk} is {progress.job.state}: {progress.planned} messages planned, "
            f"{progress.done} done, {progress.skipped} skipped, {progress.failed} failed."
        )
        if progress.job.state in {JobState.FAILED, JobState.STOPPED}:
            raise CommandError(f"{words} {progress.job.error}".strip())
        self.stdout.write(words)
        for table, rows in sorted(progress.moved.items()):
            self.stdout.write(f"{table}: {rows} rows moved")
        for outcome, rows in progress.outcomes:
            self.stdout.write(f"{outcome}: {rows} messages")
        if progress.job.dry_run:
            for name, value in sorted(progress.job.report.items()):
                self.stdout.write(f"{name}: {value}")


def _is_over(progress: JobProgress) -> bool:
    return progress.job.state in FINAL_STATES or (
        progress.job.dry_run and progress.job.state == JobState.PLANNED
    )
