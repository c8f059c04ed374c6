"""240 000 messages in a transaction that is undone, and the queries that pages send about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import Client

from benchmarks.filling import IDS_PER_MESSAGE, fill_messages
from messages_app.access.roles import ROLES
from tests.support.factories import make_user
from tests.support.fillings import undone_filling
from tests.support.plans import faults_of, reads_of

# With half of them the archive's tables are so small that scanning them is right.
MESSAGES = 240_000
LARGE_PARENT = MESSAGES // 2 * IDS_PER_MESSAGE

# All that failed, as one failure group and incident, and as another all the rest: the largest possible.
GROUPED = """
INSERT INTO failure_member
SELECT msg_id, CASE state WHEN 'FAILED' THEN 1 ELSE 2 END, receive_timestamp,
       CASE state WHEN 'FAILED' THEN 1 ELSE 2 END
  FROM message;
INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
SELECT n, n, '2000-01-01', '2100-01-01', 'text', 'high', '', n FROM generate_series(1, 2) AS n;
INSERT INTO failure_cell (cell_id, fingerprint, store, service_name, operation_name, source_system,
                          external_system, error_code, cause, group_id, first_seen, last_seen)
SELECT n, n::text, 'messages', 'billing', 'createInvoice', 'CRM',
       CASE n WHEN 1 THEN 'pay.example' ELSE 'crm' END, '', '', n, now(), now()
  FROM generate_series(1, 2) AS n;
INSERT INTO message_total
SELECT state, service_name, operation_name, source_system, coalesce(failed_error_code, ''), count(*)
  FROM message
 GROUP BY 1, 2, 3, 4, 5;
ANALYZE failure_member, incident_cell, failure_cell, message_total;
"""


@contextmanager
def many_messages(django_db_blocker) -> Iterator[Client]:
    """Fill the tables, in a transaction that is undone, and give a client that may see everything."""
    with undone_filling(django_db_blocker) as cursor:
        fill_messages(cursor, messages=MESSAGES)
        cursor.execute(GROUPED)
        forget_planned()
        client = Client()
        client.force_login(make_user(*ROLES, is_staff=True))
        yield client


def queries_of(client: Client, address: str) -> list[tuple[str, tuple]]:
    """Return what asking for a page sends to the database, as (SQL, parameters)."""
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code, response.content[:500])
        if response.streaming:
            response.getvalue()
    assert sent, address
    return sent


# Statements without faults, as the rows are now: all pages send some of the same.
_planned: set[tuple[str, str]] = set()


def forget_planned() -> None:
    """Plan every statement again: there are other rows."""
    _planned.clear()


@contextmanager
def undone_change() -> Iterator[CursorWrapper]:
    """Yield a cursor to change rows with inside the block; the changes are undone."""
    with transaction.atomic(), connection.cursor() as cursor:
        forget_planned()
        yield cursor
        forget_planned()
        transaction.set_rollback(True)


def check(client: Client, address: str) -> None:
    """Check the plan of everything that a page sends to the database, once for the same values."""
    for sql, params in queries_of(client, address):
        if (sql, repr(params)) in _planned:
            continue
        faults = faults_of(sql, params)
        assert not faults, f"{address}: {faults}\n{sql}\n{params}"
        _planned.add((sql, repr(params)))
