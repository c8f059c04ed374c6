"""
Whether the console is suspended: `attach --suspend` takes its views of the hub's tables away for a while.

Source: docs/howto/attach.md, "After a change of the hub".
"""

from django.db import connection

from messages_app.core.problems import Problem

# The schema of an attached console. Its description says whether its views are there.
SCHEMA = "hubconsole"
SUSPENDED = "suspended by attach --suspend"
_RETRY_SECONDS = 60


def read_note() -> str:
    """Return the description of the console's schema; empty if the schema or its description is missing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT obj_description(to_regnamespace(%s), 'pg_namespace')", [SCHEMA])
        (note,) = cursor.fetchone()
        return note or ""


def is_suspended() -> bool:
    return read_note() == SUSPENDED


def refusal_while_suspended() -> Problem | None:
    """Return why a table is missing while the console is suspended; None if it is not suspended."""
    if not is_suspended():
        return None
    text = "The hub's tables are being changed. Nothing was done. Try again when the console is resumed."
    return Problem(503, "suspended", text, headers={"Retry-After": str(_RETRY_SECONDS)})
