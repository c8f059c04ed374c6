"""The statements of the pass and of incidents' pages read no large table from end to end."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.incidents import listing, selectors, totals
from messages_app.incidents.models import Incident, IncidentCell
from messages_app.incidents.passes import gather_failures
from messages_app.messages.failures import incident_source
from messages_app.messages.failures.grouping import group_new_failures
from tests.messages_app.incidents.small_outages import fail_messages, gather, start_counting
from tests.support.fillings import undone_filling
from tests.support.plans import faults_of, reads_of

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
# Old failures of 40 000 messages in 400 cells, which are in no incident, and their counts.
_FILL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload)
SELECT 5000000 + n, 'old-' || n, at, at, at, 'billing', 'CRM', 'OK', 'createInvoice', '<a/>'
  FROM (SELECT n, now() - interval '30 days' - make_interval(secs => n) AS at
          FROM generate_series(1, 40000) AS n) AS dated;
INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT msg_id, msg_id, 'join-' || msg_id, 'https://old.example', '<a/>', receive_timestamp FROM message;
INSERT INTO failure_cell (cell_id, fingerprint, store, service_name, operation_name, source_system,
                          external_system, error_code, cause, group_id, first_seen, last_seen)
SELECT -n, 'old-' || n, 'messages', 'billing', 'a', 'CRM', '', '', 'old ' || n, -n, now(), now()
  FROM generate_series(1, 400) AS n;
INSERT INTO failure_cell_minute (cell_id, minute, failures)
SELECT -1 - n % 400, date_trunc('hour', now()) - make_interval(hours => 30 + n / 400), 1
  FROM generate_series(0, 39999) AS n;
INSERT INTO failure_member (msg_id, group_id, at, cell_id)
SELECT msg_id, -1 - msg_id % 400, last_process_timestamp, -1 - msg_id % 400 FROM message;
INSERT INTO failure_item (store, item_key, cell_id, at)
SELECT 'document_history', n::text, -1 - n % 400, now() - interval '40 days'
  FROM generate_series(1, 20000) AS n;
INSERT INTO incident (title, state, opened_at, began_at, last_failure_at, closed_at, closed_by, is_held_open,
                      external_system, services, error_codes, failures, affected, owner,
                      acknowledged_by, is_merged_by_person, key_service, key_sender, key_text)
SELECT 'old ' || n, 'closed', at, at, at, at, 'system', false, 'old.example', '{}', '{}', 8, 8, '', '',
       false, '', '', ''
  FROM (SELECT n, now() - interval '40 days' AS at FROM generate_series(1, 5000) AS n) AS dated;
INSERT INTO incident_cell (incident_id, cell_id, first, last, reason, strength, pinned_by, origin_id)
SELECT incident_id, -1 - incident_id % 400, began_at, last_failure_at, 'system', 'high', '', incident_id
  FROM incident;
ANALYZE message, request, failure_cell, failure_cell_minute, failure_member, failure_item, incident;
ANALYZE incident_cell
"""


@pytest.fixture(scope="module")
def incident(django_db_setup, django_db_blocker) -> Iterator[Incident]:
    """Fill the tables with old failures and incidents, and give one incident of now."""
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(_FILL)
        start_counting()
        fail_messages(20, "connection to https://pay.bank.example refused")
        gather()
        cursor.execute("ANALYZE message_rollup, message_change")
        yield Incident.objects.get(state="open")


def check_plans(work: Callable[[], object]) -> int:
    """Run work and explain every statement that it reads with; return their number."""
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        work()
    for sql, params in sent:
        faults = faults_of(sql, params, most_rows=5_000)
        assert not faults, f"{faults}\n{sql}\n{params}"
    return len(sent)


class TestPlans:
    def test_of_a_pass_with_new_failures(self, incident):
        fail_messages(3, "connection to https://pay.bank.example refused")
        assert check_plans(group_new_failures) >= 8

    def test_of_a_pass_without_new_failures(self, incident):
        Incident.objects.filter(pk=incident.pk).update(last_failure_at=incident.began_at.replace(year=2020))
        assert check_plans(gather_failures) >= 3

    def test_of_the_selectors(self, incident):
        groups = [-1, -2]
        assert check_plans(lambda: selectors.memberships_of(incident.pk)) == 1
        assert check_plans(lambda: selectors.failures_by_minute([incident.pk], incident.began_at)) == 1
        assert check_plans(lambda: selectors.incidents_of_groups(groups)) == 1
        assert check_plans(lambda: totals.count_open_rows([incident.pk])) >= 2
        assert check_plans(lambda: incident_source.newest_messages_of(incident.pk)) == 1
        newest = incident_source.newest_messages_of(incident.pk)
        assert check_plans(lambda: incident_source.place_messages(newest)) == 1

    def test_of_open_messages_of_each_incident(self, incident, monkeypatch):
        monkeypatch.setattr(incident_source, "FENCE", 5)
        assert check_plans(lambda: incident_source.count_open([incident.pk])) == 2

    def test_of_an_old_incident(self, incident):
        old = IncidentCell.objects.order_by("range_id").first()
        assert check_plans(lambda: selectors.memberships_of(old.incident_id)) == 1

    def test_of_the_incidents_of_a_shift(self, incident):
        Incident.objects.filter(title="old 7").update(closed_at=Now())
        now = database_clock()
        assert len(listing.open_incidents(most=30)) == 1
        assert [line.incident.title for line in listing.incidents_ended_since(now - HOUR, most=30)] == [
            "old 7"
        ]
        assert check_plans(lambda: listing.open_incidents(most=30)) >= 3
        for age in (HOUR, 1_000 * HOUR):
            assert check_plans(lambda since=now - age: listing.incidents_ended_since(since, most=30)) >= 3
