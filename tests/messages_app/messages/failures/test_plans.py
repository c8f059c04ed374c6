"""The list of groups reads no large table, however many failures and cells there are."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from tests.support import plans
from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db

# A thousand groups with failures of one week for a hundred of them, and forty thousand cells.
FILLING = """
INSERT INTO failure_group (group_id, fingerprint, service_name, operation_name, failed_error_code, summary,
                           example, failures, first_seen, last_seen, state, owner, ticket, note)
SELECT n, n::text, 'service' || n % 50, 'operation', 'E103', 'cause ' || n, 'cause ' || n, 100,
       now() - interval '90 days', now() - n * interval '1 minute', 'new', '', '', ''
  FROM generate_series(1, 1000) AS n;
INSERT INTO failure_minute (group_id, minute, failures)
SELECT 1 + n % 1000, date_trunc('minute', now() - interval '9 days' - n * interval '1 minute'), 1
  FROM generate_series(1, 60000) AS n;
INSERT INTO failure_minute (group_id, minute, failures)
SELECT 1 + n % 100, date_trunc('minute', now() - n * interval '1 minute'), 1
  FROM generate_series(1, 9000) AS n;
INSERT INTO failure_cell (cell_id, fingerprint, store, service_name, operation_name, source_system,
                          external_system, error_code, cause, group_id, first_seen, last_seen)
SELECT n, n::text, 'messages', 'service' || n % 50, 'operation', '', 'system' || n % 400, '', 'cause',
       1 + n % 1000, now(), now()
  FROM generate_series(1, 40000) AS n
"""
TABLES = "failure_group, failure_minute, failure_cell"


@pytest.fixture(scope="module")
def browser(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILLING)
        cursor.execute(f"ANALYZE {TABLES}")
        yield client_of("operator")


@pytest.mark.parametrize(
    "path",
    [
        "/failures/?show=all",
        "/failures/?show=all&external_system=system7",
        "/failures/?show=all&text=system7",
        "/failures/?show=all&service_name=service7&ordering=-last_seen",
        "/failures/7/",
        "/failures/7/?since=first",
        "/api/v1/failure-groups/",
    ],
)
def test_lists_and_pages_use_an_index(browser, monkeypatch, path):
    monkeypatch.setattr(plans, "LARGE", plans.LARGE | {"failure_minute", "failure_cell"})
    sent: list[tuple[str, tuple]] = []
    with connection.execute_wrapper(reads_of(sent)):
        assert browser.get(path).status_code == 200
    assert any("failure_" in sql for sql, _ in sent)
    assert faults_in(sent) == []
