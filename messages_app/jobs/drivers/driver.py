"""What the runner needs from each kind of job: its plan, its action, and its report."""

from typing import TYPE_CHECKING, Protocol

from messages_app.jobs.models import Job
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.contract import Action, JobKey

if TYPE_CHECKING:  # every worker imports this module, and only one uses Spark
    from pyspark.sql import SparkSession


class Driver(Protocol):
    """What Spark's driver does for one kind of job. It keeps no state between calls."""

    def plan(self, spark: "SparkSession", *, key: JobKey, job: Job) -> int:
        """Freeze the set: write its items and chunks, and return the number of chunks."""

    def preview(self, spark: "SparkSession", *, job: Job) -> SetReport:
        """
        Return the report of a dry run; nothing is written.

        It has at least `planned`, `by_state`, `skipped` (by reason) and `samples` (ten message ids that would
        be done).
        """

    def action(self, job: Job) -> Action:
        """
        Return the action of the executors.

        Raises:
            CannotRun: the job cannot be done; the message says why.
        """

    def ended(self, job: Job) -> JobReport:
        """Finish after the last chunk, and return what to add to the job's report."""

    def tidy_up(self) -> None:
        """Clean up after a job of this kind. The job has ended, and no one waits for this."""
        return


class CannotRun(Exception):
    """The job cannot be done, now or later; nothing was changed."""
