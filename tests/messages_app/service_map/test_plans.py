"""Every query of the map and of its pages uses an index on large tables."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import MAX_ROWS, faults_of, reads_of

pytestmark = pytest.mark.django_db

# Fifty services, each with three of thirty systems: three hours by minute, 15 days by hour, and before that
# by day: four years of calls, in the order of time as the pass adds them, and a year of messages. Of the
# first year's calls, 7 days are a third: with default settings PostgreSQL then rightly reads all of them.
FILLING = """
CREATE TEMPORARY TABLE time_of_count ON COMMIT DROP AS
SELECT date_trunc('minute', now()) - n * interval '1 minute' AS minute FROM generate_series(0, 179) AS n
 UNION SELECT date_trunc('hour', now()) - n * interval '1 hour' FROM generate_series(4, 360) AS n
 UNION SELECT date_trunc('day', now()) - n * interval '1 day' FROM generate_series(16, 1460) AS n;
CREATE TEMPORARY TABLE time_of_year ON COMMIT DROP AS
SELECT minute FROM time_of_count WHERE minute > now() - interval '1 year';
CREATE TEMPORARY TABLE pair ON COMMIT DROP AS
SELECT 'service' || s AS service, 'system' || (s + k * 7) % 30 || '.example' AS system
  FROM generate_series(1, 50) AS s, generate_series(0, 2) AS k;
INSERT INTO call_rollup SELECT minute, service, system, 10, 1 FROM time_of_count, pair ORDER BY minute;
INSERT INTO call_took
SELECT DISTINCT date_bin('5 minutes', minute, 'epoch'::timestamptz), service, system, step, 5
  FROM time_of_count, pair, generate_series(0, 3) AS step
 ORDER BY 1;
INSERT INTO message_rollup (minute, state, service_name, operation_name, source_system, failed_error_code,
                            present, entered)
SELECT minute, state, 'service' || s, 'operation', 'CRM', '', 0, 10
  FROM time_of_year, generate_series(1, 50) AS s, unnest(ARRAY['OK', 'FAILED']) AS state;
INSERT INTO message_took
SELECT DISTINCT date_bin('5 minutes', minute, 'epoch'::timestamptz), 'service' || s, step, 5
  FROM time_of_year, generate_series(1, 50) AS s, generate_series(0, 9) AS step;
INSERT INTO participant_profile (kind, name, owner, runbook, within_seconds, within_step, within_share,
                                 failed_share, version)
SELECT kind, CASE kind WHEN 'service' THEN 'service' || n ELSE 'system' || n || '.example' END, '', '', 300,
       32, 0.99, 0.01, 1
  FROM generate_series(0, 50) AS n, unnest(ARRAY['service', 'system']) AS kind;
ANALYZE participant_profile, call_rollup, call_took, message_rollup, message_took;
"""

# The map reads the counts of 7 days: for each pair of service and system a row a minute or hour, and four
# steps of durations, whatever the number of calls.
_MOST_OF_7_DAYS = 345 * 150 * 4


@pytest.fixture(scope="module")
def browser(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILLING)
        yield client_of("operator")


@pytest.mark.parametrize(
    "path",
    [
        "/map/?window=1h",
        "/map/?window=24h",
        "/map/?window=7d",
        "/map/?window=7d&service_name=service7&failing=true",
        "/services/service7/",
        "/systems/system7.example/",
        "/metrics",
    ],
)
def test_scan_no_large_table(browser, path):
    sent: list[tuple[str, tuple]] = []
    with connection.execute_wrapper(reads_of(sent)):
        response = browser.get(path)
    assert response.status_code == 200
    assert path == "/metrics" or len(response.content) < 100_000
    most_rows = _MOST_OF_7_DAYS if path.startswith("/map/") else MAX_ROWS
    assert [fault for sql, params in sent for fault in faults_of(sql, params, most_rows=most_rows)] == []
