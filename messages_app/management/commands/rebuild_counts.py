"""manage.py rebuild_counts: counts all of history again, on Spark. Source: docs/decisions/0008-rollups.md."""

import time
from collections.abc import Collection

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string
from pyspark.sql import SparkSession

from hubconsole import preflight
from hubconsole.checks import Unhealthy
from hubconsole.checks.servers import check_spark
from messages_app.core import trigger_gaps
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.messages.metrics import polling
from spark_tasks.counts import recount
from spark_tasks.session import end_sessions, spark_session

# An `up` that was started just before needs this long for its Spark server, on a busy machine.
_STARTS_WITHIN_SECONDS = 300.0
_LOOK_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Recount all messages, live and archived, for the overview page, and close the gaps that `doctor`"
        " reports. The hub can keep running. Run as the owner of the tables."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        try:
            self._wait_for_spark()
            gaps = trigger_gaps.gaps_to_close()
            with spark_session(spark_address()) as spark:
                closed = close_gaps(spark, gaps.areas)
                polling.catch_up()
                rows = recount(spark, dsn=own_dsn(), is_polled=polling.is_polled())
            trigger_gaps.close_gaps(gaps)
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

    def _wait_for_spark(self) -> None:
        """
        Wait while an `up` starts the Spark server.

        Raises:
            Unhealthy: the server does not answer, and no `up` is starting it.
        """
        began, has_said = time.monotonic(), False
        while True:
            try:
                check_spark()
            except Unhealthy:
                is_late = time.monotonic() - began > _STARTS_WITHIN_SECONDS
                if is_late or not preflight.is_running(settings.HUBCONSOLE_HOME):
                    raise
            else:
                return
            if not has_said:
                self.stderr.write("Waiting for Spark to start.")
                has_said = True
            time.sleep(_LOOK_SECONDS)


def close_gaps(spark: SparkSession, areas: Collection[str]) -> str:
    """Add the rows that triggers could not record. Return the number of added rows in words."""
    known = trigger_gaps.areas()
    rebuilds = [import_string(known[name].rebuild) for name in known if name in areas]
    return "".join(f" Gap closed: {rebuild(spark=spark, dsn=own_dsn())}" for rebuild in rebuilds)
