"""Changes of incidents by people: they are conditional, audited, and win over the rule."""

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.incidents import services
from messages_app.incidents.changes import absorb_incident
from messages_app.incidents.composition import merge_incidents, split_incident
from messages_app.incidents.listing import describe_incidents
from messages_app.incidents.models import Incident, IncidentCell, IncidentDecision
from messages_app.incidents.passes import gather_failures
from messages_app.incidents.selectors import memberships_of
from messages_app.messages.failures.incident_source import newest_messages_of, place_messages
from messages_app.messages.failures.models import FailureGroup
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import notes_on
from tests.messages_app.incidents.small_outages import fail_messages, gather, restart_messages, start_counting
from tests.support.factories import make_user
from tests.support.jobs import ANA

pytestmark = pytest.mark.django_db

WHY = "The bank was down."
BANK = "connection to https://pay.bank.example/v1 refused"
DATA = "validation: order 7 has no customer"


@pytest.fixture(autouse=True)
def _day_of_counts() -> None:
    start_counting()


def open_incident(text: str = BANK, service: str = "billing", count: int = 12) -> Incident:
    before = set(Incident.objects.values_list("pk", flat=True))
    fail_messages(count, text, service=service)
    gather()
    return Incident.objects.exclude(pk__in=before).get()


def last_entries(action: str) -> list[tuple]:
    entries = AuditEntry.objects.filter(action=action).order_by("entry_id")
    return list(entries.values_list("subject", "actor", "before_state", "after_state", "reason"))


def pairs_apart() -> list[tuple[int, int]]:
    pairs = IncidentDecision.objects.filter(decision="apart")
    return list(pairs.values_list("incident_id", "other_id"))


def close(incident: Incident) -> Incident:
    return services.close_incident(incident_id=incident.pk, actor=ANA, reason=WHY)


class TestCloseIncident:
    def test_closes_it_once_and_audits_it(self):
        incident = open_incident()
        after = close(incident)
        assert (after.state, after.closed_by, after.closed_at is None) == ("closed", ANA.username, False)
        assert last_entries("close_incident") == [(str(incident.pk), ANA.username, "open", "closed", WHY)]
        with pytest.raises(services.IncidentConflict) as refusal:
            close(incident)
        assert refusal.value.current_state == "closed"
        assert len(last_entries("close_incident")) == 1

    def test_wins_over_the_rule_until_a_newer_failure(self):
        incident = close(open_incident())
        fail_messages(1, "E1: unrelated")
        gather()
        incident.refresh_from_db()
        assert incident.state == "closed"
        with connection.cursor() as cursor:
            cursor.execute("UPDATE incident SET closed_at = now() - interval '3 minutes'")
        fail_messages(3, BANK)
        gather()
        incident.refresh_from_db()
        assert (incident.state, Incident.objects.count()) == ("open", 1)
        assert last_entries("reopen_incident") == [(str(incident.pk), "system", "closed", "open", "")]

    def test_needs_a_reason_and_an_incident(self):
        incident = open_incident()
        with pytest.raises(Problem) as refusal:
            services.close_incident(incident_id=incident.pk, actor=ANA, reason=" ")
        assert refusal.value.status == 400
        with pytest.raises(services.IncidentNotFound):
            services.close_incident(incident_id=incident.pk + 99, actor=ANA, reason=WHY)


class TestReopenIncident:
    def test_holds_it_open_although_everything_is_processed(self):
        incident = close(open_incident())
        services.reopen_incident(incident_id=incident.pk, actor=ANA, reason=WHY)
        restart_messages()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE incident SET last_failure_at = now() - interval '2 hours'")
        gather_failures()
        incident.refresh_from_db()
        assert (incident.state, incident.is_held_open) == ("open", True)
        with pytest.raises(services.IncidentConflict):
            services.reopen_incident(incident_id=incident.pk, actor=ANA, reason=WHY)


class TestAssignIncident:
    def test_gives_it_to_a_user_or_to_no_one(self):
        incident, user = open_incident(), make_user("operator")
        given = services.assign_incident(incident_id=incident.pk, user=user.username, actor=ANA, reason=WHY)
        assert given.owner == user.username
        with pytest.raises(services.IncidentConflict):
            services.assign_incident(incident_id=incident.pk, user=user.username, actor=ANA, reason=WHY)
        assert services.assign_incident(incident_id=incident.pk, user=None, actor=ANA, reason=WHY).owner == ""
        assert len(last_entries("assign_incident")) == 2

    def test_refuses_an_unknown_user(self):
        incident = open_incident()
        with pytest.raises(Problem) as refusal:
            services.assign_incident(incident_id=incident.pk, user="nobody", actor=ANA, reason=WHY)
        assert refusal.value.status == 400
        incident.refresh_from_db()
        assert incident.owner == ""


def test_an_incident_is_acknowledged_once():
    incident = open_incident()
    after = services.acknowledge_incident(incident_id=incident.pk, actor=ANA, reason=WHY)
    assert (after.acknowledged_by, after.acknowledged_at is None) == (ANA.username, False)
    with pytest.raises(services.IncidentConflict):
        services.acknowledge_incident(incident_id=incident.pk, actor=ANA, reason=WHY)


def test_the_newest_note_is_that_of_the_incident():
    incident = open_incident()
    for text in ("one", "two"):
        services.note_incident(incident_id=incident.pk, text=text, actor=ANA)
    assert describe_incidents([incident])[0].note == "two"
    assert AuditEntry.objects.filter(action="add_note", subject=str(incident.pk)).count() == 2


class TestMergeIncidents:
    def test_moves_their_notes(self):
        one, other = open_incident(), open_incident(DATA, service="order")
        for incident, text in ((other, "of the other"), (one, "of the one")):
            services.note_incident(incident_id=incident.pk, text=text, actor=ANA)
        merge_incidents(incident_id=one.pk, incident_ids=[other.pk], actor=ANA, reason=WHY)
        texts = [read.note.text for read in notes_on(NoteKind.INCIDENT, one.pk)]
        assert texts == ["of the one", "of the other"]
        assert notes_on(NoteKind.INCIDENT, other.pk) == []

    def test_keeps_them_merged_while_failures_of_both_come(self):
        one, other = open_incident(), open_incident(DATA, service="order")
        merged = merge_incidents(incident_id=one.pk, incident_ids=[other.pk], actor=ANA, reason=WHY)
        other.refresh_from_db()
        assert (other.state, other.merged_into, merged.affected) == ("closed", one.pk, 24)
        for text, service in ((BANK, "billing"), (DATA, "order")):
            fail_messages(8, text, service=service)
            gather()
        merged.refresh_from_db()
        assert (merged.affected, merged.state, Incident.objects.count()) == (40, "open", 2)
        assert set(IncidentCell.objects.values_list("incident_id", flat=True)) == {one.pk}
        assert last_entries("merge_incident") == [
            (str(other.pk), ANA.username, "open", "closed", WHY),
            (str(one.pk), ANA.username, "open", "open", WHY),
        ]

    def test_opens_a_closed_one_with_an_open_one(self):
        one, other = close(open_incident()), open_incident(DATA, service="order")
        assert merge_incidents(incident_id=one.pk, incident_ids=[other.pk], actor=ANA, reason=WHY).is_open

    @pytest.mark.parametrize("chosen", [[], "itself", [10**12]])
    def test_refuses_others_that_cannot_be_merged(self, chosen):
        one = open_incident()
        ids = [one.pk] if chosen == "itself" else chosen
        with pytest.raises((Problem, services.IncidentNotFound)):
            merge_incidents(incident_id=one.pk, incident_ids=ids, actor=ANA, reason=WHY)
        assert last_entries("merge_incident") == []

    def test_refuses_one_that_is_merged(self):
        one, other = open_incident(), open_incident(DATA, service="order")
        merge_incidents(incident_id=one.pk, incident_ids=[other.pk], actor=ANA, reason=WHY)
        with pytest.raises(services.IncidentConflict):
            merge_incidents(incident_id=other.pk, incident_ids=[one.pk], actor=ANA, reason=WHY)
        with pytest.raises(services.IncidentConflict):
            close(other)


class TestSplitIncident:
    def open_double(self) -> tuple[Incident, FailureGroup]:
        """Return an incident of one system with two groups, and the second group."""
        fail_messages(12, BANK, service="billing", minutes_ago=10)
        fail_messages(9, BANK + " by peer, attempt", service="order", minutes_ago=10)
        gather()
        return Incident.objects.get(), FailureGroup.objects.get(service_name="order")

    def test_of_groups_keeps_their_new_failures_apart(self):
        one, group = self.open_double()
        new = split_incident(incident_id=one.pk, group_ids=[group.pk], actor=ANA, reason=WHY)
        one.refresh_from_db()
        assert (one.affected, new.affected, new.services) == (12, 9, ["order"])
        fail_messages(8, BANK, service="billing")
        fail_messages(40, BANK + " by peer, attempt", service="order")
        gather()
        one.refresh_from_db()
        new.refresh_from_db()
        assert (one.affected, new.affected, Incident.objects.count()) == (20, 49, 2)
        assert {(row.reason, row.strength, row.pinned_by) for row in memberships_of(new.pk)} == {
            ("person", "high", ANA.username)
        }

    def test_of_groups_refuses_all_or_strange_groups(self):
        one, group = self.open_double()
        both = list(FailureGroup.objects.values_list("pk", flat=True))
        for group_ids in (both, [group.pk, 10**12], []):
            with pytest.raises(Problem) as refusal:
                split_incident(incident_id=one.pk, group_ids=group_ids, actor=ANA, reason=WHY)
            assert refusal.value.status == 400
        assert Incident.objects.count() == 1

    def test_of_messages_keeps_them_whatever_their_cells(self):
        one, _ = self.open_double()
        chosen = newest_messages_of(one.pk)[:3]
        new = split_incident(incident_id=one.pk, msg_ids=chosen, actor=ANA, reason=WHY)
        gather()
        one.refresh_from_db()
        new.refresh_from_db()
        assert (one.affected, new.affected) == (18, 3)
        assert newest_messages_of(new.pk) == chosen
        assert {row.incident_id for row in place_messages(chosen).values()} == {new.pk}
        assert not set(chosen) & set(newest_messages_of(one.pk))

    def test_of_messages_refuses_strangers(self):
        one, _ = self.open_double()
        with pytest.raises(Problem) as refusal:
            split_incident(incident_id=one.pk, msg_ids=[10**12], actor=ANA, reason=WHY)
        assert refusal.value.status == 400
        with pytest.raises(Problem):
            split_incident(incident_id=one.pk, actor=ANA, reason=WHY)

    def test_of_all_messages_is_refused_and_changes_nothing(self):
        one = open_incident()
        chosen = newest_messages_of(one.pk)
        assert len(chosen) == one.affected == 12
        with pytest.raises(Problem) as refusal:
            split_incident(incident_id=one.pk, msg_ids=chosen, actor=ANA, reason=WHY)
        assert refusal.value.status == 400
        assert refusal.value.detail == "The incident would have no failures left."
        assert (Incident.objects.count(), newest_messages_of(one.pk)) == (1, chosen)

    @pytest.mark.parametrize("by_number", [1, -1])
    def test_twice_leaves_parts_that_can_be_merged_and_stay_apart_from_the_rest(self, by_number):
        one, group = self.open_double()
        of_group = split_incident(incident_id=one.pk, group_ids=[group.pk], actor=ANA, reason=WHY)
        chosen = newest_messages_of(one.pk)[:3]
        of_messages = split_incident(incident_id=one.pk, msg_ids=chosen, actor=ANA, reason=WHY)
        kept, other = [of_group, of_messages][::by_number]
        merged = merge_incidents(incident_id=kept.pk, incident_ids=[other.pk], actor=ANA, reason=WHY)
        one.refresh_from_db()
        assert (one.affected, merged.affected) == (9, 12)
        assert pairs_apart() == [(one.pk, kept.pk)]

    def test_holds_when_the_rule_merges_the_rest_into_an_older_one(self):
        older = open_incident(DATA, service="order")
        rest = open_incident(BANK, service="billing")
        chosen = newest_messages_of(rest.pk)[:3]
        new = split_incident(incident_id=rest.pk, msg_ids=chosen, actor=ANA, reason=WHY)
        absorb_incident(rest.pk, older.pk)
        assert pairs_apart() == [(older.pk, new.pk)]

    def test_is_undone_by_a_merge(self):
        one, group = self.open_double()
        new = split_incident(incident_id=one.pk, group_ids=[group.pk], actor=ANA, reason=WHY)
        merge_incidents(incident_id=one.pk, incident_ids=[new.pk], actor=ANA, reason=WHY)
        fail_messages(6, BANK + " by peer, attempt", service="order")
        gather()
        one.refresh_from_db()
        assert (one.affected, Incident.objects.filter(state="open").count()) == (27, 1)
