"""manage.py rebuild_counts: counts all of history again, on Spark. Source: docs/decisions/0008-rollups.md."""

from collections.abc import Collection

import psycopg
from django.core.management.base import BaseCommand, CommandError
from pyspark.sql import SparkSession

from messages_app.core import trigger_gaps
from messages_app.document_history.services.sweep import mend_open
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.message_store.line_repair import mend_lines
from messages_app.messages.timeline.history import mend_history
from spark_tasks.counts import recount
from spark_tasks.failure_groups import group_history
from spark_tasks.session import end_sessions, spark_session


class Command(BaseCommand):
    help = (
        "Recount all messages, live and archived, for the overview page, and close the gaps that `doctor`"
        " reports. The hub can keep running. Run as the owner of the tables."
    )
    requires_system_checks = []

    def handle(self, **options: object) -> None:
        try:
            seen = trigger_gaps.see()
            with spark_session(spark_address()) as spark:
                closed = _close_gaps(spark, seen.areas)
                rows = recount(spark, dsn=own_dsn())
            trigger_gaps.close(seen)
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


def _close_gaps(spark: SparkSession, areas: Collection[str]) -> str:
    """Add what triggers could not note, and return in words how much that was."""
    told = []
    if "messages" in areas:
        entries, failures = mend_history(), group_history(spark, dsn=own_dsn())
        told.append(f" Gap closed: {entries} entries of the history and {failures} failures were missing.")
    if "documents" in areas:
        told.append(f" Gap closed: {mend_open()} open documents were missing or wrong.")
    if "store" in areas:
        told.append(f" Gap closed: {mend_lines()} lines of the message store were missing or wrong.")
    return "".join(told)
