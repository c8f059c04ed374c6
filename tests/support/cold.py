"""Messages with a row of each kind that hangs on them, hostile values included, and jobs to archive them."""

import datetime as dt

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.models import Message, Request
from spark_tasks.parquet.parts import Chosen, PartKey, archive_part, held_columns
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import HUB_TABLES
from tests.support import factories, jobs

OLD = timezone.now() - dt.timedelta(days=100)
HOSTILE = 'first\r\n\\.\r\n\\.\n"second",\t\\N \\. \U0001f600 ' + "\x01é" * 50


def old_message(**columns: object) -> Message:
    """Store a final message that is older than any limit, with values that are easily broken."""
    defaults = {
        "state": "OK",
        "receive_timestamp": OLD,
        "last_process_timestamp": OLD + dt.timedelta(microseconds=1),
        "payload": HOSTILE,
        "envelope": None,
        "custom_data": "",
        "node_id": 2**63 - 1,
    }
    return factories.make_message(**defaults | columns)


def with_traffic(message: Message) -> Message:
    """Give a message one row of each kind, a response without request among them."""
    factories.make_external_call(message)
    request = factories.make_request(message)
    factories.make_response(request, msg_id=None, res_envelope=HOSTILE)
    factories.make_response(None, msg_id=message.msg_id, res_timestamp=None, failed_reason="a\nb")
    factories.make_funnel(message, funnel_value=f"customer-{message.msg_id}")
    return message


def make_orphans() -> None:
    """Store an old request that no message owns, with its response, and an old response of nothing."""
    request = factories.make_request(None, req_timestamp=OLD)
    factories.make_response(request, res_timestamp=OLD)
    factories.make_response(None, res_timestamp=OLD)


def forever(message: Message) -> None:
    """Give a message times that no clock shows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE message SET start_process_timestamp = 'infinity', start_in_queue_timestamp = '-infinity',"
            " msg_timestamp = '0001-01-01 00:00:00.000001+00' WHERE msg_id = %s",
            [message.pk],
        )


def to_parquet() -> JobProgress:
    return jobs.run("archive", {}, to="parquet")


def new_undo(origin: Job) -> Job:
    """Make the job that takes an archive job back, as it is made of a finished one."""
    return Job.objects.create(
        kind="restore", undo_of=origin.pk, reason="undo", created_by=jobs.ANA.username, last_msg_id=0
    )


def undo(origin: Job) -> JobProgress:
    return jobs.work(new_undo(origin))


def into_parquet(*messages: Message) -> None:
    """Archive messages to Parquet files immediately, without a job: rows must be committed."""
    ids = [message.pk for message in messages]
    requests = list(Request.objects.filter(msg_id__in=ids).values_list("pk", flat=True))
    key = PartKey(job_id=1, run="job-1-test", chunk_no=0, content="messages", month=dt.date(2026, 5, 1))
    with psycopg.connect(database_dsn()) as connection:
        archive_part(
            connection,
            Storage(settings.HUBCONSOLE_ARCHIVE_URI),
            key,
            tables=HUB_TABLES,
            columns=held_columns(connection, HUB_TABLES),
            chosen=Chosen(msg_ids=ids, req_ids=requests),
        )
