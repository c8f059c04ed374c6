"""A hub with old families, a job on them without Spark, and connections like an executor's and a hub's."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from messages_app.shared.job_states import ChunkContent, JobState
from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.actions.archive_rows import ArchiveToTables, shared_columns
from spark_tasks.contract import Item, JobKey
from spark_tasks.database import connect_to_database
from spark_tasks.plans.plan_writer import write_part

FINAL = tuple(sorted(FINAL_STATES))
AGES = {"cutoff": timezone.now().isoformat(), "final_states": FINAL}

FAMILIES = """
WITH made AS (
  INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                       source_system, state, operation_name, payload)
  SELECT 'old-' || n, old, old, old, 'billing', 'CRM', 'OK', 'createInvoice',
         repeat('<x>' || n || '</x>', 200)
    FROM generate_series(1, %(messages)s) AS n, (SELECT now() - interval '100 days' AS old) AS age
  RETURNING msg_id, receive_timestamp AS at, correlation_id
), called AS (
  INSERT INTO external_call (msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,
                             last_update_timestamp)
  SELECT msg_id, 'direct:crm', 'OK', correlation_id, at, at, at FROM made
), valued AS (
  INSERT INTO funnel (msg_id, funnel_value) SELECT msg_id, 'customer-' || msg_id FROM made
), sent AS (
  INSERT INTO request (msg_id, res_join_id, uri, req_envelope, req_timestamp)
  SELECT msg_id, correlation_id, 'http://crm.example/ws', '<y/>', at FROM made
  RETURNING req_id, req_timestamp, msg_id
)
INSERT INTO response (req_id, res_envelope, res_timestamp, msg_id)
SELECT req_id, '<z/>', req_timestamp, msg_id FROM sent
UNION ALL
SELECT NULL, '<unpaired/>', req_timestamp, msg_id FROM sent
"""


def make_families(messages: int) -> list[int]:
    """Store old messages, each with a row of every kind, and return their ids."""
    with connection.cursor() as cursor:
        cursor.execute(FAMILIES, {"messages": messages})
        cursor.execute("ANALYZE message, external_call, funnel, request, response")
    return list(Message.objects.order_by("pk").values_list("pk", flat=True))


def items(msg_ids: list[int]) -> list[Item]:
    return [Item(msg_id, msg_id, "OK") for msg_id in msg_ids]


@contextmanager
def executor() -> Iterator[psycopg.Connection]:
    with connect_to_database(database_dsn()) as found:
        yield found


@contextmanager
def hub() -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_dsn(), autocommit=True) as found:
        yield found


def is_waiting(pid: int) -> bool:
    """Return whether the session of this process waits for the lock of another."""
    with hub() as watcher:
        return watcher.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid]).fetchone()[0]


def to_tables() -> ArchiveToTables:
    with executor() as found:
        return ArchiveToTables(columns=shared_columns(found), **AGES)


def running_job(msg_ids: list[int], *, chunk_size: int) -> JobKey:
    """Store a job whose set is these messages, as if it were planned and running."""
    job = Job.objects.create(
        kind="archive", state=JobState.PLANNING, attempt=1, reason="test", created_by="ana"
    )
    key = JobKey(dsn=database_dsn(), job_id=job.pk, attempt=1, rivals=rivals_of(job.kind))
    rows = [(str(ChunkContent.MESSAGES), msg_id, msg_id, "OK", None) for msg_id in msg_ids]
    with executor() as found:
        write_part(found, key, 0, rows, size=chunk_size, claims=True)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING)
    return key
