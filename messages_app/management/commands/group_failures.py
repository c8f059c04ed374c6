"""manage.py group_failures: puts failures of before the console into groups, on Spark."""

import psycopg
from django.core.management.base import BaseCommand, CommandError

from messages_app.jobs.kinds.kind import database_dsn, spark_address
from spark_tasks.grouping import group_history
from spark_tasks.session import end_sessions, spark_session


class Command(BaseCommand):
    help = "Put all failed messages, live and archived, that are in no group yet into groups."

    def handle(self, **options: object) -> None:
        try:
            with spark_session(spark_address()) as spark:
                failures = group_history(spark, dsn=database_dsn())
        except psycopg.errors.LockNotAvailable:
            raise CommandError("Somebody else is grouping failures; wait for that.") from None
        finally:
            end_sessions()
        self.stdout.write(f"Grouped: {failures} failures.")
