"""A worker that may take only little more memory for a large job than it took for a small one."""

import pytest
from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.shared.job_states import FINAL_STATES, JobState
from tests.support.eventually import eventually
from tests.support.jobs import new_job
from tests.support.memory import limit_memory

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("spark_remote"),
    pytest.mark.slow,
]

SMALL, LARGE = 1_000, 400_000
# A list of all ids of the large job would take 14 MB, and its rows far more.
MAX_BYTES = 12_000_000

FILL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload, failed_error_code)
SELECT 1000000 + n, 'failed-' || n, now(), now(), now(), 'billing', %s, 'FAILED', 'op', '<x/>', 'E101'
  FROM generate_series(1, %s) AS n
"""


def fill(source: str, count: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            FILL.replace("1000000", "(SELECT coalesce(max(msg_id), 1) FROM message)"), [source, count]
        )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("ANALYZE message")


def restarted(source: str) -> Job:
    job = new_job("restart", {"source_system": source})
    eventually(lambda: Job.objects.get(pk=job.pk).state in FINAL_STATES, 300)
    return Job.objects.get(pk=job.pk)


def test_takes_no_more_memory_for_a_large_job(start_worker):
    fill("SMALL", SMALL)
    fill("LARGE", LARGE)
    worker = start_worker()
    assert restarted("SMALL").state == JobState.DONE

    limit_memory(worker.pid, MAX_BYTES)
    job = restarted("LARGE")

    assert (job.state, job.error) == (JobState.DONE, "")
    assert job_progress(job.pk).done == LARGE
