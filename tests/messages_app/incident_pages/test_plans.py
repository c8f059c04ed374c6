"""Every query of incidents uses an index on large tables."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from tests.support import plans
from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import faults_in, reads_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps", "large_tables")]

# Ten thousand incidents, of which ten are open; a hundred thousand audit entries over two months.
FILLING = """
INSERT INTO incident (incident_id, title, state, began_at, last_failure_at, closed_at, closed_by,
                      is_held_open, external_system, services, error_codes, failures, affected, owner,
                      acknowledged_by, is_merged_by_person, key_service, key_sender, key_text)
SELECT n, 'Incident ' || n, CASE WHEN n > 9990 THEN 'open' ELSE 'closed' END,
       now() - (10001 - n) * interval '10 minutes', now() - (10001 - n) * interval '10 minutes',
       CASE WHEN n > 9990 THEN NULL ELSE now() - (10000 - n) * interval '10 minutes' END, '', false,
       'system' || n % 1000, ARRAY['service' || n % 50], ARRAY[]::text[], 10, 10,
       CASE WHEN n % 100 = 0 THEN 'ada' ELSE '' END, '', false, '', '', ''
  FROM generate_series(1, 10000) AS n;
INSERT INTO failure_cell (cell_id, fingerprint, store, service_name, operation_name, source_system,
                          external_system, error_code, cause, group_id, first_seen, last_seen)
SELECT n, n::text, 'messages', 'service' || n % 50, 'operation', '', '', '', 'cause ' || n % 100, n % 100,
       now() - n * interval '1 minute', now()
  FROM generate_series(1, 20000) AS n;
INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
SELECT 1 + n % 10000, n, now() - n * interval '5 minutes', now() - n * interval '5 minutes', 'text', 'high',
       '', 1 + n % 10000
  FROM generate_series(1, 20000) AS n;
INSERT INTO failure_cell_minute (cell_id, minute, failures)
SELECT n % 20000 + 1, date_trunc('minute', now() - n * interval '1 minute'), 1
  FROM generate_series(1, 50000) AS n;
INSERT INTO audit_entry (at, actor, token_name, request_id, action, outcome, before_state, after_state,
                         reason, details)
SELECT now() - (100000 - n) * interval '1 minute', 'ada', '', '', 'restart', 'done', '', '', '', '{}'
  FROM generate_series(1, 100000) AS n;
INSERT INTO failure_member (msg_id, group_id, at, cell_id)
SELECT n, n % 100, now() - n * interval '1 minute', 1 + n % 20000 FROM generate_series(1, 100000) AS n
"""
TABLES = "incident, failure_cell, incident_cell, failure_cell_minute, audit_entry, failure_member"


@pytest.fixture(scope="module")
def browser(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILLING)
        cursor.execute(f"ANALYZE {TABLES}")
        yield client_of("operator")


@pytest.fixture
def large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the tables of incidents as large."""
    monkeypatch.setattr(plans, "LARGE", plans.LARGE | set(TABLES.split(", ")))


class TestPages:
    @pytest.mark.parametrize(
        "path",
        [
            "/incidents/",
            "/incidents/?state=open",
            "/incidents/?state=closed",
            "/incidents/?owner=ada",
            "/incidents/?unowned=true",
            "/incidents/?external_system=system7",
            "/incidents/?service_name=service7",
            "/incidents/9995/",
            "/incidents/5000/",
            "/incidents/9995/merge/",
            "/incidents/9995/split/",
            "/api/v1/incidents/",
            "/api/v1/incidents/?state=open",
            "/api/v1/incidents/?owner=ada",
            "/api/v1/incidents/?external_system=system7",
            "/api/v1/incidents/?external_system=nothing",
            "/api/v1/incidents/?service_name=service7",
            "/api/v1/incidents/9995/",
            "/api/v1/incidents/9995/messages/",
        ],
    )
    def test_read_by_an_index(self, browser, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert browser.get(path).status_code == 200
        assert sent
        assert faults_in(sent) == []
