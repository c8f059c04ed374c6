"""Every query of deployments uses an index on a large table."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from messages_app.core.clock import database_clock
from messages_app.incidents.deployments.selectors import deployments_between
from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import faults_in, reads_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

# Half of them of one service, and one version in a thousand.
FILLING = """
INSERT INTO deployment (service_name, version, at, noted_by)
SELECT CASE WHEN n % 2 = 0 THEN 'billing' ELSE 'service ' || n % 500 END, 'v' || n % 1000,
       now() - n * interval '1 minute', 'pipeline'
  FROM generate_series(1, 100000) AS n
"""


@pytest.fixture(scope="module")
def browser(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILLING)
        cursor.execute("ANALYZE deployment")
        yield client_of("support")


class TestDeploymentList:
    @pytest.mark.parametrize(
        "query",
        [
            "",
            "?service_name=billing",
            "?service_name=service+7",
            "?service_name=nobody",
            "?at_from=-1h",
            "?at_to=-30d",
            "?service_name=billing&at_from=-1h",
            "?version=v7",
            "?version=nothing",
        ],
    )
    def test_reads_by_an_index(self, browser, query):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert browser.get(f"/deployments/{query}").status_code == 200
        assert [sql for sql, _ in sent if '"deployment"' in sql]
        assert faults_in(sent) == []

    def test_reads_by_an_index_for_those_before_an_incident(self, browser):
        now, sent = database_clock(), []
        with connection.execute_wrapper(reads_of(sent)):
            assert len(deployments_between(now.replace(year=2000), now, most=20)) == 20
        assert faults_in(sent) == []
