"""A task that archives to Parquet, in a process that may take less memory than its rows have bytes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from messages_app.jobs.connections import database_dsn
from messages_app.messages.models import Message
from tests.support.cold import old_message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

# Messages, bytes of each payload, and the limit: of rows, columns and what the writer keeps. For small ones,
# 90 MB were too few, and 130 were enough for 600 MB. Payloads of 20 MB took 520, however many.
SIZES = [(2_000, 100_000, 130_000_000), (40, 20_000_000, 650_000_000)]

FILL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload)
SELECT 1000000 + n, 'large-' || n, at, at, at, 'billing', 'CRM', 'OK', 'op',
       repeat(md5(n::text), %s / 32)
  FROM generate_series(1, %s) AS n, (SELECT now() - interval '100 days' AS at) AS age
"""

# Archives one message first, so that everything is loaded, and the others with the limit. Arrow's own pools
# would take more from the system than they need.
TASK = """
import datetime, json, re, resource, sys
import pyarrow
from spark_tasks.database import connect_to_database
from spark_tasks.parquet.parts import Chosen, PartKey, archive_part, held_columns
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import HUB_TABLES

asked = json.load(sys.stdin)
pyarrow.set_memory_pool(pyarrow.system_memory_pool())

def archive(chunk_no, ids):
    month = datetime.date(2026, 5, 1)
    key = PartKey(job_id=1, run="job-1-test", chunk_no=chunk_no, content="messages", month=month)
    with connect_to_database(asked["dsn"]) as session, session.transaction():
        columns = held_columns(session, HUB_TABLES)
        storage, chosen = Storage(asked["folder"]), Chosen(msg_ids=ids)
        return archive_part(session, storage, key, tables=HUB_TABLES, columns=columns, chosen=chosen)

archive(0, asked["ids"][:1])
with open("/proc/self/status") as status:
    used = int(re.search(r"VmData:\\s+(\\d+) kB", status.read())[1]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + asked["most"], used + asked["most"]))
moved, _ = archive(1, asked["ids"][1:])
print(moved["message"])
"""


@pytest.mark.parametrize(("messages", "payload_bytes", "most_bytes"), SIZES)
def test_takes_little_memory_for_many_bytes(tmp_path: Path, messages, payload_bytes, most_bytes):
    ids = [old_message().pk]
    with connection.cursor() as cursor:
        cursor.execute(FILL, [payload_bytes, messages])
    ids += Message.objects.filter(correlation_id__startswith="large-").values_list("pk", flat=True)
    asked = {"dsn": database_dsn(), "folder": str(tmp_path), "ids": ids, "most": most_bytes}

    ended = subprocess.run(
        [sys.executable, "-c", TASK], input=json.dumps(asked), capture_output=True, text=True, check=False
    )

    assert (ended.stdout, ended.stderr[-2000:]) == (f"{messages}\n", "")
    assert Message.objects.count() == 0
