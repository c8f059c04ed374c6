"""How many bytes an archive job takes out of the live tables, by what a message weighs on average."""

from django.db import connection

from messages_app.jobs.previewing.sql import statement

_TABLES = ("message", "external_call", "request", "response", "funnel")


def bytes_a_message() -> float | None:
    """Return the bytes of one message with all that is its, indexes too; None: nothing was counted yet."""
    with connection.cursor() as cursor:
        cursor.execute(statement("table_sizes"), {"tables": list(_TABLES)})
        sizes = {name: (size, rows) for name, size, rows in cursor}
    messages = sizes.get("message", (0, 0))[1]
    return sum(size for size, _ in sizes.values()) / messages if messages > 0 else None
