"""manage.py rebuild_counts: counts all of history anew, on Spark. Source: docs/decisions/0008-rollups.md."""

import psycopg
from django.core.management.base import BaseCommand, CommandError

from messages_app.jobs.kinds.addresses import own_dsn, spark_address
from spark_tasks.counting import recount
from spark_tasks.session import end_sessions, spark_session


class Command(BaseCommand):
    help = (
        "Count all messages anew, live and archived, for the first page. The hub may go on meanwhile."
        " Run as the owner of the tables."
    )

    def handle(self, **options: object) -> None:
        try:
            with spark_session(spark_address()) as spark:
                rows = recount(spark, dsn=own_dsn())
        except psycopg.errors.LockNotAvailable:
            raise CommandError("Somebody else is rebuilding the counts; wait for that.") from None
        except psycopg.errors.InsufficientPrivilege:
            raise CommandError("This role may not; run this as the owner of the tables.") from None
        finally:
            end_sessions()
        self.stdout.write(f"Counted anew: {rows} rows.")
