"""The interface between the runner and each kind of job: its plan, its action and its report."""

from typing import TYPE_CHECKING, Protocol

from messages_app.jobs.models import Job
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.contract import Action, JobKey

if TYPE_CHECKING:  # Every worker imports this module, but only one uses Spark.
    from pyspark.sql import SparkSession


class Driver(Protocol):
    """The driver-side work of one kind of job. It keeps no state between calls."""

    def plan(self, spark: "SparkSession", *, key: JobKey, job: Job) -> int:
        """Freeze the set: write its items and chunks. Return the number of chunks."""

    def preview(self, spark: "SparkSession", *, job: Job) -> SetReport:
        """
        Return the report of a dry run. Writes nothing.

        The report has at least `planned`, `by_state`, `skipped` (by reason) and `samples` (the ids of ten
        messages that would be done).
        """

    def make_action(self, job: Job) -> Action:
        """
        Return the action that executors apply to each chunk.

        Raises:
            CannotRun: the job cannot be done; the message says why.
        """

    def finish(self, job: Job) -> JobReport:
        """Finish the job after its last chunk. Return additions to its report."""

    def tidy_up(self) -> None:
        """Clean up after a job of this kind has ended. No one waits for this call."""
        return


class CannotRun(Exception):
    """The job cannot be done, now or later, and nothing was changed. Its text is the error of the job."""
