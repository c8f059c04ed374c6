"""What each kind of job tells the runner: how its set is planned, what is done to it, what is said then."""

from typing import TYPE_CHECKING, Protocol

from messages_app.jobs.models import Job
from messages_app.shared.job_records import JobReport, SetReport
from spark_tasks.contract import Action, JobKey

if TYPE_CHECKING:  # every worker imports this module, and only one needs Spark
    from pyspark.sql import SparkSession


class Driver(Protocol):
    """One kind of job, seen from the driver. Nothing here is kept between calls."""

    def plan(self, spark: "SparkSession", *, key: JobKey, job: Job) -> int:
        """Freeze the set: write its items and chunks, and return how many chunks there are."""

    def preview(self, spark: "SparkSession", *, job: Job) -> SetReport:
        """
        Return the report of a dry run; nothing is written.

        It holds at least `planned`, `by_state` and `skipped` (messages, by state and by reason) and `samples`
        (ten message ids that would be done).
        """

    def action(self, job: Job) -> Action:
        """
        Return what executors do to the set.

        Raises:
            CannotRun: the job can not be done at all; its message says why.
        """

    def ended(self, job: Job) -> JobReport:
        """Finish up after the last chunk, and return what the job's report says besides."""

    def tidy_up(self) -> None:
        """Clean up after a job of this kind. The job has ended, and no one waits for this."""
        return


class CannotRun(Exception):
    """The job cannot be done, now or later; nothing was changed."""
