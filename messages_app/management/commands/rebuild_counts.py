"""
manage.py rebuild_counts: counts all of history again, on Spark.

Source: docs/contributing/decisions/0008-rollups.md.
"""

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from pyspark.sql import SparkSession
from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

from hubconsole.checks import Unhealthy
from hubconsole.checks.servers import check_spark
from messages_app.core import trigger_gaps
from messages_app.core.embedded_servers import is_up_running
from messages_app.core.store_functions import functions_of_stores
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.management.steps import Steps
from messages_app.messages.metrics import polling
from spark_tasks.counts import replace_counts
from spark_tasks.session import end_sessions, spark_session

_LOOK_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Recount all messages, live and archived, for the overview page, and close the gaps that `doctor`"
        " reports. The hub can keep running. Run as the owner of the tables."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        try:
            with Steps(self.stderr) as steps:
                rows, closed = _recount_messages(steps)
        except Unhealthy as error:
            raise CommandError(f"Nothing was counted: {error.why}. {error.do}") from None
        except trigger_gaps.StillWriting:
            raise CommandError(
                "A transaction has been open for more than a minute; run this again when it has ended."
            ) from None
        except psycopg.errors.LockNotAvailable:
            raise CommandError("Another process is rebuilding the counts. Wait until it finishes.") from None
        except psycopg.errors.InsufficientPrivilege:
            raise CommandError("This role has no permission. Run this as the owner of the tables.") from None
        finally:
            end_sessions()
        self.stdout.write(f"Recounted: {rows} rows.{closed}")


def _recount_messages(steps: Steps) -> tuple[int, str]:
    """Count all messages; return the number of rows, and the closed gaps in words."""
    _wait_for_spark(steps)
    steps.begin("Waiting for open transactions")
    gaps = trigger_gaps.gaps_to_close()
    steps.begin("Opening a session of Spark")
    with spark_session(spark_address()) as spark, _count_parts(spark, steps):
        steps.begin("Closing gaps")
        closed = close_gaps(spark, gaps.areas)
        steps.begin("Reading the last changes")
        polling.catch_up()
        steps.begin("Counting messages")
        rows = replace_counts(spark, dsn=own_dsn(), is_polled=polling.is_polled())
    trigger_gaps.close_gaps(gaps)
    return rows, closed


class _Parts(ProgressHandler):
    """Notes the progress that Spark reports."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def __call__(
        self, stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool
    ) -> None:
        reported = list(stages or ())
        self._steps.count(
            sum(stage.num_completed_tasks for stage in reported), sum(stage.num_tasks for stage in reported)
        )


@contextmanager
def _count_parts(spark: SparkSession, steps: Steps) -> Iterator[None]:
    parts = _Parts(steps)
    spark.registerProgressHandler(parts)
    try:
        yield
    finally:
        spark.removeProgressHandler(parts)


def _wait_for_spark(steps: Steps) -> None:
    """
    Wait while an `up` starts the Spark server. It says itself if its server hangs.

    Raises:
        Unhealthy: the server does not answer, and no `up` is starting it.
    """
    steps.begin("Waiting for `up` to start Spark")
    while True:
        try:
            check_spark()
        except Unhealthy:
            if not is_up_running(settings.HUBCONSOLE_HOME):
                raise
        else:
            return
        time.sleep(_LOOK_SECONDS)


def close_gaps(spark: SparkSession, areas: Collection[str]) -> str:
    """Add the rows that triggers could not record. Return the number of added rows in words."""
    rebuilds = [
        rebuild
        for functions in functions_of_stores()
        for area, rebuild in functions.rebuilds.items()
        if area in areas
    ]
    return "".join(f" Gap closed: {rebuild(spark=spark, dsn=own_dsn())}" for rebuild in rebuilds)
