"""Failures from before the console was installed are gathered by the time at which they happened."""

import random
from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.incidents.models import FailureCellMinute, Incident, IncidentPass
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.history import read_history
from messages_app.messages.failures.models import FailureGroup, FailureMember, NewFailure
from tests.messages_app.incidents.small_outages import fail_messages, gather
from tests.support.factories import make_message
from tests.support.plans import faults_of, reads_of

pytestmark = pytest.mark.django_db
BANK = "connection to https://pay.bank.example refused"
TEXTS = ("Order 17 is closed", "No price for this tariff", "Customer has no credit left")


@pytest.fixture
def unwatched():
    """Let the hub work without the console; yields a function that installs it."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE message DISABLE TRIGGER USER")

    def install() -> None:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message ENABLE TRIGGER USER")
        gather()
        gather()

    return install


def fail_at_random(count: int) -> None:
    """Let messages of two services fail at any time of 24 hours."""
    source = random.Random(3)  # noqa: S311 - repeatable
    for number in range(count):
        service = ("billing", "order")[number % 2]
        fail_messages(1, source.choice(TEXTS), service=service, minutes_ago=source.randint(1, 1435))


def test_an_outage_that_began_before_is_one_incident(unwatched):
    fail_at_random(30)
    before = {msg_id for n in range(40) for msg_id in fail_messages(1, BANK, minutes_ago=45 - n)}
    unwatched()
    (incident,) = Incident.objects.all()
    assert (incident.external_system, incident.affected) == ("pay.bank.example", 40)
    assert database_clock() - incident.began_at > timedelta(minutes=44)
    fail_messages(12, BANK)
    gather()
    incident.refresh_from_db()
    assert (incident.affected, Incident.objects.count()) == (52, 1)
    assert FailureMember.objects.filter(msg_id__in=before, cell_id__isnull=False).count() == 40


def test_a_background_that_comes_all_day_opens_no_incident(unwatched):
    fail_at_random(60)
    unwatched()
    for number in range(40):
        make_message(state="OK", service_name="billing", source_system="CRM", operation_name=f"o{number % 2}")
    fail_messages(1, TEXTS[0])
    gather()
    assert Incident.objects.count() == 0
    assert FailureMember.objects.count() == 61


def test_they_are_read_once_in_parts(unwatched):
    for n in range(7):
        fail_messages(1, BANK, minutes_ago=10 + n)
    IncidentPass.objects.create()
    assert read_history(batch=3) == 7
    assert IncidentPass.objects.get().history_read_at is not None
    assert read_history(batch=3) == 0
    unwatched()
    group = FailureGroup.objects.get()
    counted = sum(FailureCellMinute.objects.values_list("failures", flat=True))
    assert (group.failures, counted, NewFailure.objects.count()) == (7, 7, 0)


def test_only_the_last_day_is_read(unwatched):
    fail_messages(3, BANK, minutes_ago=26 * 60)
    fail_messages(2, BANK, minutes_ago=60)
    unwatched()
    assert FailureMember.objects.count() == 2
    start = database_clock() - IncidentPass.objects.get().started_at
    assert timedelta(hours=24) < start < timedelta(hours=26)


def test_what_was_counted_already_is_left_out():
    fail_messages(6, BANK, minutes_ago=5)
    IncidentPass.objects.create()
    assert read_history() == 0
    group_new_failures()
    assert FailureGroup.objects.get().failures == 6


def test_messages_are_read_by_their_primary_key(unwatched):
    for n in range(40):
        make_message(state="OK", correlation_id=f"ok-{n}")
    fail_messages(5, BANK)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name,"
            " source_system, state, operation_name, payload)"
            " SELECT n, 'old-' || n, now() - interval '30 days', now() - interval '30 days', 'billing',"
            " 'CRM', 'FAILED', 'a', '<a/>' FROM generate_series(-40000, -1) AS n"
        )
        cursor.execute("ANALYZE message")
    IncidentPass.objects.create()
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        read_history(batch=20)
    assert sent
    for sql, params in sent:
        assert not faults_of(sql, params, most_rows=1_000), sql
