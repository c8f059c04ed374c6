"""manage.py rebuild_counts: counts all of history again, on Spark. Source: docs/decisions/0008-rollups.md."""

from collections.abc import Collection

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string
from pyspark.sql import SparkSession

from hubconsole.checks import Unhealthy
from hubconsole.checks.servers import check_spark
from messages_app.core import trigger_gaps
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.messages.metrics import polling
from spark_tasks.counts import recount
from spark_tasks.session import end_sessions, spark_session


class Command(BaseCommand):
    help = (
        "Recount all messages, live and archived, for the overview page, and close the gaps that `doctor`"
        " reports. The hub can keep running. Run as the owner of the tables."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        try:
            check_spark()
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


def close_gaps(spark: SparkSession, areas: Collection[str]) -> str:
    """Add the rows that triggers could not record. Return the number of added rows in words."""
    known = trigger_gaps.areas()
    rebuilds = [import_string(known[name].rebuild) for name in known if name in areas]
    return "".join(f" Gap closed: {rebuild(spark=spark, dsn=own_dsn())}" for rebuild in rebuilds)
