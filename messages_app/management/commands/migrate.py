"""
`manage.py migrate`: Django's command, for a database that this version can use and upgrade.

The hub and processes of the former version continue meanwhile. A migration therefore waits only briefly for a
lock, and a failed attempt is repeated. It begins with the migration that failed, because those before it are
kept.
"""

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection

from hubconsole.suitability import refusal_of_database
from messages_app.core.table_locks import TablesBusy, attempt_in_turn, lock_timeout

# Less than the 200 ms for which the trigger functions of the hub's statements wait, which then leave a gap.
MAX_WAIT = "150ms"
ATTEMPTS = 40
_SECONDS_BETWEEN = 1.0
# An automatic vacuum lets go of its table when another session has waited for deadlock_timeout.
_VACUUM = """
SELECT extract(epoch FROM current_setting('deadlock_timeout')::interval) + 0.2
  FROM pg_stat_progress_vacuum
 WHERE datname = current_database()
 LIMIT 1
"""


class Command(migrate.Command):
    def handle(self, *arguments: object, **options: object) -> None:
        if why := refusal_of_database():
            raise CommandError(why)

        def apply_migrations() -> None:
            with lock_timeout(_wait_of_attempt()):
                super(Command, self).handle(*arguments, **options)

        def note_attempt() -> None:
            if options["verbosity"]:
                self.stdout.write(
                    "\n  Another session uses a table that this migration changes. Trying again."
                )

        try:
            attempt_in_turn(
                apply_migrations,
                attempts=ATTEMPTS,
                seconds_between=_SECONDS_BETWEEN,
                note_attempt=note_attempt,
            )
        except TablesBusy:
            raise CommandError(
                f"Other sessions used a table that a migration changes, in all of {ATTEMPTS} attempts. The"
                " migrations before it are applied, and it is not. End backups and other long transactions,"
                " then run this again."
            ) from None


def _wait_of_attempt() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_VACUUM)
        row = cursor.fetchone()
    return f"{int(row[0] * 1000)}ms" if row else MAX_WAIT
