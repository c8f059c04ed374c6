"""Failures of the other stores are gathered too, each counted once."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.document_history.models import DocumentInDoubt
from messages_app.incidents.models import FailureCell, FailureCellMinute, Incident
from messages_app.incidents.passes import gather_failures
from messages_app.incidents.sources import count_new_items
from messages_app.incidents.totals import count_open_rows
from tests.messages_app.incidents.small_outages import start_counting

pytestmark = pytest.mark.django_db

_STORE = """
INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp)
SELECT 'm-' || n, 'ERP', 'Invoice', now() FROM generate_series(1, %(count)s) AS n;
INSERT INTO message_process (message_identifier, status, processed_timestamp, error_message)
SELECT 'm-' || n, 25, now(), 'amount is not a number' FROM generate_series(1, %(count)s) AS n
"""
_HELD = """
INSERT INTO cp_service (service, first_poll, last_poll, queues)
VALUES ('RENDER1', now() - interval '2 hours', now() - interval '1 hour', 'RENDITION')
"""


@pytest.fixture(autouse=True)
def _day_of_counts() -> None:
    start_counting()


def doubt_documents(count: int, *, minutes_ago: int = 0) -> None:
    at = database_clock() - timedelta(minutes=minutes_ago)
    for number in range(count):
        DocumentInDoubt.objects.create(
            trigger_id="orders",
            document_uuid=f"u-{number}-{minutes_ago}",
            rule="no_history",
            message="The history https://history.example was not available",
            received_at=at,
            last_received_at=at,
        )


def test_documents_in_doubt_are_an_incident_until_people_decide():
    doubt_documents(8, minutes_ago=40)
    gather_failures()
    incident = Incident.objects.get()
    assert (incident.services, incident.affected, incident.failures) == (["orders"], 8, 8)
    assert count_open_rows([incident.pk]) == {incident.pk: (8, 8)}
    DocumentInDoubt.objects.update(state="settled")
    gather_failures()
    incident.refresh_from_db()
    assert (incident.state, count_open_rows([incident.pk])) == ("closed", {incident.pk: (0, 0)})


def test_a_document_counts_again_only_when_it_is_delivered_again():
    doubt_documents(3, minutes_ago=10)
    assert [count_new_items(), count_new_items()] == [3, 0]
    DocumentInDoubt.objects.filter(document_uuid="u-1-10").update(last_received_at=database_clock())
    assert [count_new_items(), count_new_items()] == [1, 0]
    assert sum(FailureCellMinute.objects.values_list("failures", flat=True)) == 4


def test_messages_of_the_store_in_error_are_an_incident():
    with connection.cursor() as cursor:
        cursor.execute(_STORE, {"count": 9})
    gather_failures()
    incident = Incident.objects.get()
    assert (incident.services, incident.affected, incident.error_codes) == (["Invoice"], 9, ["25"])
    cell = FailureCell.objects.get()
    assert (cell.store, cell.source_system, cell.cause) == ("message_store", "ERP", "amount is not a number")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE message_process SET status = 10")
    assert count_open_rows([incident.pk]) == {incident.pk: (0, 0)}
