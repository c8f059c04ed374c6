"""What each kind of job tells the runner: how its set is planned, what is done to it, what is said then."""

from collections.abc import Mapping
from typing import Protocol

from django.conf import settings
from django.db import connection
from psycopg import conninfo
from pyspark.sql import SparkSession

from hubconsole import embedded
from messages_app.jobs.models import Job
from spark_tasks.actions import Action, JobKey


class Kind(Protocol):
    """One kind of job, seen from the driver. Nothing here is kept between calls."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        """Freeze the set: write its items and chunks, and return how many chunks there are."""

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
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

    def ended(self, job: Job) -> dict[str, object]:
        """Finish up after the last chunk, and return what the job's report says besides."""

    def tidy_up(self) -> None:
        """Do what is good to do after a job of this kind; it has ended, nobody waits for this."""


class CannotRun(Exception):
    """The job cannot be done, now or later; nothing was changed."""


def database_dsn() -> str:
    """Return the address under which Spark's tasks reach the database: under a role of their own, if set."""
    return _dsn(settings.SPARK_DATABASE or connection.settings_dict)


def own_dsn() -> str:
    """Return the address of this process, for what it has Spark do in its own name."""
    return _dsn(connection.settings_dict)


def _dsn(database: Mapping[str, object]) -> str:
    return conninfo.make_conninfo(
        host=database["HOST"],
        port=database["PORT"] or None,
        dbname=database["NAME"],
        user=database["USER"],
        password=database["PASSWORD"] or None,
    )


def spark_address() -> str:
    return settings.SPARK_REMOTE or embedded.spark_remote(settings.HUBCONSOLE_HOME)
