"""Waits on the command line for the end of a job, and shows its progress."""

import time
from dataclasses import dataclass
from typing import TextIO

from django.core.management.base import OutputWrapper
from django.db import InterfaceError, OperationalError, connection

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.views.detail.status_message import Situation, situation_of
from messages_app.management.progress import Progress
from messages_app.shared.job_states import FINAL_STATES, JobState, PauseReason

_POLL_SECONDS = 0.5
# The maximum time that the command waits for a database that is restarted or fails over.
_PATIENCE_SECONDS = 120.0

# Before the set is known, the current step is printed after this time, and then in this interval.
_FIRST_STEP_SECONDS, _STEP_SECONDS = 2, 10

# States that are printed. The bar shows the others.
_REPORTED_STATES = frozenset({JobState.PLANNED, JobState.PAUSED, JobState.STOPPING})

_FAULTS = frozenset({PauseReason.DISK_FULL, PauseReason.STORAGE_AWAY})


class NoAnswer(Exception):
    """
    The database did not answer for too long, and the job continues when it does; or the job was removed.
    """


@dataclass(frozen=True)
class _Snapshot:
    """A job, and its status while it has not ended."""

    progress: JobProgress
    situation: Situation | None


def watch_job(job_id: int, *, stream: TextIO | OutputWrapper) -> JobProgress:
    """
    Wait for the end of a job. Also wait for a paused job, because an operator or its test batch may let
    it continue.

    Raises:
        NoAnswer: the database was away for two minutes, or the job was removed.
    """
    reporter = _Reporter(stream)
    try:
        while True:
            snapshot = _read_patiently(job_id, reporter)
            reporter.report(snapshot)
            if snapshot.situation is None:
                return snapshot.progress
            time.sleep(_POLL_SECONDS)
    finally:
        reporter.close()


def _read_patiently(job_id: int, reporter: "_Reporter") -> _Snapshot:
    began = time.monotonic()
    while True:
        try:
            return _read_snapshot(job_id)
        except (OperationalError, InterfaceError):
            connection.close()
            reporter.print_once("The database does not answer. Still waiting.", about="database")
        if time.monotonic() - began > _PATIENCE_SECONDS:
            raise NoAnswer(f"The database does not answer. Job {job_id} continues when it does.")
        time.sleep(_POLL_SECONDS)


def _read_snapshot(job_id: int) -> _Snapshot:
    progress = job_progress(job_id)
    if progress is None:
        raise NoAnswer(f"Job {job_id} was removed.")
    is_counted = progress.job.dry_run and progress.job.state == JobState.PLANNED
    is_over = is_counted or progress.job.state in FINAL_STATES
    return _Snapshot(progress, None if is_over else situation_of(progress, now=database_clock()))


class _Reporter:
    """Shows progress as a bar when the set is known, and prints each new obstacle once."""

    def __init__(self, stream: TextIO | OutputWrapper) -> None:
        self._stream = stream
        self._bar: Progress | None = None
        self._last_said = ""

    def report(self, snapshot: _Snapshot) -> None:
        progress = snapshot.progress
        has_set = progress.job.chunk_count is not None and "grouped" not in progress.job.report
        if self._bar is None and has_set:  # a job that groups failures has no messages of its own
            self._bar = Progress(total=progress.planned, unit="messages", stream=self._stream)
        if self._bar is not None:
            self._bar.update(progress.planned - progress.left)
        if snapshot.situation is not None:
            self._report_situation(progress.job, snapshot.situation)

    def _report_situation(self, job: Job, situation: Situation) -> None:
        if situation.lasting is not None and self._bar is None:
            self._report_step(job, situation, seconds=int(situation.lasting.total_seconds()))
            return
        if not situation.is_stalled and job.state not in _REPORTED_STATES:
            self._last_said = ""
            return
        # The fault says which place is full or away, and that the job continues.
        next_step = job.error if job.paused_for in _FAULTS and job.error else situation.next_step
        text = f"Job {job.pk} is {job.state}. {situation.sentence} {next_step}"
        self.print_once(text.strip(), about=f"{job.state} {job.paused_for} {situation.is_stalled}")

    def _report_step(self, job: Job, situation: Situation, *, seconds: int) -> None:
        """Print the current step before the set is known, and again every few seconds with its duration."""
        if seconds < _FIRST_STEP_SECONDS:
            return  # Most jobs have passed this step before anyone could read the line.
        ahead = (
            f" ({', '.join(f'job {number}' for number in situation.running)})" if situation.running else ""
        )
        text = f"Job {job.pk} is {job.state}, {situation.so_far}. {situation.sentence}{ahead}"
        self.print_once(text, about=f"{situation.sentence} {seconds // _STEP_SECONDS}")

    def print_once(self, text: str, *, about: str) -> None:
        """Print the text, unless the last text had the same subject."""
        if about == self._last_said:
            return
        self._last_said = about
        if self._bar is None:
            self._stream.write(f"{text}\n")
        else:
            self._bar.print_line(text)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
