"""Rows and query plans shared by the tests of messages."""

from collections.abc import Callable

from django.db import connection

from messages_app.messages.models import Message, MessageEvent


def make_event(message: Message, old: str, new: str, *, at: object, actor: str | None = None) -> MessageEvent:
    return MessageEvent.objects.create(msg_id=message.pk, from_state=old, to_state=new, at=at, actor=actor)


def make_children(parent: int, *, count: int, state: str = "OK", first: int = 5_000_000) -> None:
    """Store the given number of HARD children in one statement, with ids from `first` on."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name,
                                 source_system, state, operation_name, payload, parent_msg_id,
                                 parent_binding_type, failed_count, guaranteed_order, exclude_failed_state)
            SELECT id, 'child-' || id, now(), now(), 'billing', 'CRM', %s, 'createInvoice', 'x', %s, 'HARD',
                   0, false, false
              FROM generate_series(%s, %s) AS id
            """,
            [state, parent, first, first + count - 1],
        )
        cursor.execute("ANALYZE message")


def plans(run_queries: Callable[[], object]) -> list[str]:
    """Return the plans of the queries that `run_queries` runs. Sequential scans are off for small tables."""
    statements: list[tuple[str, tuple]] = []

    def record(execute, sql, params, many, context):
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        run_queries()
    assert statements, "nothing was sent"
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        explained = []
        for sql, params in statements:
            cursor.execute(f"EXPLAIN {sql}", params)
            explained.append("\n".join(row[0] for row in cursor))
    return explained
