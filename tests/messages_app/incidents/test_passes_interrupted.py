"""Killed and simultaneous workers lose and double nothing. The oracle counts the rows of the hub."""

import os
import subprocess
import sys
import time

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.incidents.models import Incident
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.incidents.small_outages import start_counting
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests, kill

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGES = 6_000
_FAIL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload, failed_error_code,
                     failed_desc)
SELECT n, 'storm-' || n, at, at, at, 'service' || n %% 6, 'CRM', 'FAILED', 'call', '<a/>', 'E103',
       'connection to https://' || (ARRAY['pay.bank', 'crm.corp'])[1 + n %% 2] || '.example refused, order '
       || n
  FROM (SELECT n, now() - make_interval(mins => n %% 25) AS at
          FROM generate_series(1, %(messages)s) AS n) AS dated
"""
_ORACLE = """
SELECT service_name, date_trunc('minute', last_process_timestamp), count(*)
  FROM message
 WHERE state = 'FAILED'
 GROUP BY 1, 2
"""
_COUNTED = """
SELECT service_name, minute, sum(failures)
  FROM failure_cell_minute
  JOIN failure_cell USING (cell_id)
 GROUP BY 1, 2
"""
_PLACED = """
SELECT count(*), count(DISTINCT msg_id)
  FROM failure_member
  JOIN incident_cell USING (cell_id)
 WHERE at >= first
   AND at < last + interval '1 minute'
"""
_GROUP = """
import django
django.setup()
from messages_app.messages.failures import grouping
grouping.GATHER_SECONDS = 0
grouping.group_new_failures(batch=300)
"""


def fetch(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def start_storm() -> None:
    start_counting()
    with connection.cursor() as cursor:
        cursor.execute(_FAIL, {"messages": MESSAGES})
    fold_changes()


def check_counts() -> None:
    """Compare with the hub's rows: each failure is counted once, and is in one incident at most."""
    assert sorted(fetch(_COUNTED)) == sorted(fetch(_ORACLE))
    assert fetch("SELECT count(*), count(DISTINCT msg_id) FROM failure_member") == [(MESSAGES, MESSAGES)]
    assert fetch("SELECT sum(failures), sum(failures) FROM failure_minute") == [(MESSAGES, MESSAGES)]
    assert fetch("SELECT sum(failures), count(*) FROM failure_group")[0][0] == MESSAGES
    placed, distinct = fetch(_PLACED)[0]
    assert (placed, distinct) == (MESSAGES, MESSAGES)
    incidents = Incident.objects.filter(merged_into=None)
    assert sorted(incidents.values_list("external_system", "affected", "failures")) == [
        ("crm.corp.example", MESSAGES // 2, MESSAGES // 2),
        ("pay.bank.example", MESSAGES // 2, MESSAGES // 2),
    ]
    opened = AuditEntry.objects.filter(action="open_incident").values_list("subject", flat=True)
    assert sorted(map(int, opened)) == sorted(Incident.objects.values_list("pk", flat=True))


def read_counted() -> int:
    return fetch("SELECT counted FROM incident_pass")[0][0]


def test_a_worker_that_is_killed_at_any_time_loses_and_doubles_nothing():
    start_storm()
    environment = os.environ | database_of_tests() | {"DJANGO_SETTINGS_MODULE": "hubconsole.settings"}
    for batches in (1, 4, 8):
        worker = subprocess.Popen([sys.executable, "-c", _GROUP], env=environment, start_new_session=True)
        deadline = time.monotonic() + 60
        while read_counted() < batches and worker.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        assert worker.poll() is None, "The worker ended before it could be killed."
        kill(worker)
        assert fetch("SELECT count(*) FROM new_failure")[0][0] > 0
    deadline = time.monotonic() + 60
    while fetch("SELECT count(*) FROM new_failure")[0][0] and time.monotonic() < deadline:
        group_new_failures()
    group_new_failures()
    check_counts()


def test_two_simultaneous_workers_count_each_failure_once():
    start_storm()

    def group() -> int:
        total = 0
        while fetch("SELECT count(*) FROM new_failure")[0][0]:
            total += group_new_failures(batch=200)
        return total

    totals = in_threads(group, group)
    assert sum(totals) == MESSAGES, totals
    group_new_failures()
    check_counts()
