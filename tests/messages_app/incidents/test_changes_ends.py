"""The end and the reopening of incidents by the rule, in the tables of the hub."""

from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.incidents.models import Incident
from messages_app.incidents.passes import gather_failures
from messages_app.incidents.totals import count_open_rows
from messages_app.messages.models import Message
from tests.messages_app.incidents.small_outages import (
    fail_messages,
    gather,
    restart_messages,
    start_counting,
)

pytestmark = pytest.mark.django_db
BANK = "connection to https://pay.bank.example/v1 refused"


@pytest.fixture
def outage() -> Incident:
    """Return an incident of twelve messages that failed 40 minutes ago."""
    start_counting()
    fail_messages(12, BANK, minutes_ago=40)
    gather()
    return Incident.objects.get()


def state_of(incident: Incident) -> str:
    gather_failures()
    incident.refresh_from_db()
    return incident.state


class TestEndIncidents:
    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_ends_an_incident_when_all_its_messages_are_processed_or_cancelled(self, outage, state):
        assert state_of(outage) == "open"
        restart_messages(state)
        assert (state_of(outage), outage.closed_by) == ("closed", "system")
        entry = AuditEntry.objects.get(action="end_incident")
        assert (entry.actor, entry.subject, entry.before_state, entry.after_state) == (
            "system",
            str(outage.pk),
            "open",
            "closed",
        )

    @pytest.mark.parametrize("state", ["FAILED", "PROCESSING", "WAITING", "PARTLY_FAILED", "POSTPONED"])
    def test_waits_for_the_last_message(self, outage, state):
        last = Message.objects.order_by("-pk").first().pk
        restart_messages()
        Message.objects.filter(pk=last).update(state=state)
        assert state_of(outage) == "open"
        failing = 1 if state == "FAILED" else 0
        assert count_open_rows([outage.pk]) == {outage.pk: (failing, 1)}

    def test_waits_until_no_failure_came_for_a_time(self, outage, settings):
        restart_messages()
        settings.INCIDENT_QUIET_MINUTES = 60
        assert state_of(outage) == "open"
        settings.INCIDENT_QUIET_MINUTES = 30
        assert state_of(outage) == "closed"

    def test_counts_messages_one_by_one_if_the_hub_has_too_many_open_ones(self, outage, monkeypatch):
        monkeypatch.setattr("messages_app.messages.failures.incident_source.FENCE", 5)
        assert count_open_rows([outage.pk])[outage.pk].waiting >= 5
        assert state_of(outage) == "open"


class TestReopening:
    def test_takes_the_same_incident_within_a_day(self, outage):
        restart_messages()
        assert state_of(outage) == "closed"
        Incident.objects.update(closed_at=database_clock() - timedelta(minutes=5))
        fail_messages(6, BANK)
        gather()
        outage.refresh_from_db()
        assert (outage.state, outage.closed_at, Incident.objects.count()) == ("open", None, 1)
        assert (outage.affected, outage.failures) == (18, 18)

    def test_opens_another_incident_after_a_day(self, outage):
        restart_messages()
        assert state_of(outage) == "closed"
        Incident.objects.update(closed_at=database_clock() - timedelta(hours=26))
        fail_messages(30, BANK)
        gather()
        outage.refresh_from_db()
        new = Incident.objects.get(state="open")
        assert (outage.state, outage.affected, new.affected) == ("closed", 12, 30)


class TestOpening:
    def test_needs_as_many_failures_as_the_setting_says(self, settings):
        start_counting()
        settings.INCIDENT_OPENING = 13
        fail_messages(12, BANK)
        gather()
        assert Incident.objects.count() == 0
        fail_messages(1, BANK)
        gather()
        incident = Incident.objects.get()
        assert (incident.affected, incident.external_system) == (13, "pay.bank.example")
        assert (incident.services, incident.error_codes) == (["billing"], ["E103"])
        assert incident.title == "Connection to pay.bank.example refused"

    def test_counts_no_failure_twice(self):
        start_counting()
        fail_messages(12, BANK)
        for _ in range(3):
            gather()
        incident = Incident.objects.get()
        assert (incident.affected, incident.failures) == (12, 12)
