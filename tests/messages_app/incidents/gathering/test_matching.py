"""An incident keeps its number, and what people decided wins."""

import pytest

from messages_app.incidents.gathering.matching import gather_incidents
from messages_app.incidents.gathering.records import (
    Decisions,
    Incident,
    Key,
    Member,
    Reason,
    Strength,
)
from tests.messages_app.incidents.gathering.small_hub import BANK, REFUSED, TIMED_OUT, SmallHub, make_cell

OUTAGE = range(601, 661)
BILLING = make_cell("billing", REFUSED, system=BANK)
ORDER = make_cell("order", REFUSED, system=BANK)
CAST = make_cell("stock", "class A cannot be cast to class B")


def make_incident(number: int, *cells, key: Key | None = None, minutes=OUTAGE, ended=None) -> Incident:
    members = tuple(Member(cell, minutes[0], minutes[-1], Reason.SYSTEM, Strength.HIGH) for cell in cells)
    return Incident(incident_id=number, key=key or Key(system=BANK), members=members, ended=ended)


@pytest.fixture
def hub() -> SmallHub:
    hub = SmallHub()
    for cell in (BILLING, ORDER, CAST):
        hub.fail(cell, OUTAGE)
    return hub


def gather(hub, incidents=(), decisions=None):
    matches = gather_incidents(hub.failures, hub.traffic, incidents, decisions)
    return sorted(matches, key=lambda match: match.incident_id or 10**9)


def list_numbers(matches):
    return [(match.incident_id, match.cluster.key.system, match.absorbed) for match in matches]


class TestNumbers:
    def test_are_new_for_new_incidents(self, hub):
        assert sorted(match.cluster.count for match in gather(hub)) == [60, 120]
        assert {match.incident_id for match in gather(hub)} == {None}

    def test_stay_while_failures_come(self, hub):
        incident = make_incident(7, BILLING, minutes=range(601, 610))
        assert list_numbers(gather(hub, [incident])) == [(7, BANK, ()), (None, "", ())]

    def test_stay_when_the_key_changes(self, hub):
        incident = make_incident(7, BILLING, ORDER, key=Key(service="billing"))
        assert list_numbers(gather(hub, [incident]))[0] == (7, BANK, ())

    def test_are_those_of_the_older_one_when_two_turn_out_to_be_one(self, hub):
        hub.fail(BILLING, OUTAGE)
        incidents = [make_incident(9, BILLING), make_incident(4, ORDER)]
        assert list_numbers(gather(hub, incidents))[0] == (4, BANK, (9,))

    def test_stay_with_the_larger_part_when_one_turns_out_to_be_two(self, hub):
        incident = make_incident(7, BILLING, ORDER, CAST)
        assert list_numbers(gather(hub, [incident])) == [(7, BANK, ()), (None, "", ())]

    def test_do_not_move_by_a_few_common_failures(self, hub):
        closed = hub.fail(make_cell("stock", "Order is closed"), range(1, 1441, 30))
        members = (
            Member(closed, 1, 1440, Reason.PERSON, Strength.HIGH),
            Member(CAST, 601, 603, Reason.SERVICE, Strength.HIGH),
        )
        incident = Incident(incident_id=7, key=Key(service="order"), members=members)
        assert {match.incident_id for match in gather(hub, [incident])} == {None}

    def test_are_reused_when_the_same_system_fails_within_a_day(self, hub):
        incident = make_incident(7, BILLING, minutes=range(-200, -100), ended=-60)
        assert gather(hub, [incident])[0].incident_id == 7

    def test_are_not_reused_after_a_day(self, hub):
        incident = make_incident(7, BILLING, minutes=range(-1000, -900), ended=-900)
        assert {match.incident_id for match in gather(hub, [incident])} == {None}

    def test_of_a_service_are_reused_only_for_a_common_text(self, hub):
        key = Key(service="stock", text="class cannot be cast to")
        same = make_incident(7, CAST, key=key, minutes=range(100, 200), ended=250)
        other = make_incident(8, make_cell("stock", "x"), key=key, minutes=range(100, 200), ended=250)
        assert 7 in {match.incident_id for match in gather(hub, [same])}
        assert {match.incident_id for match in gather(hub, [other])} == {None}

    def test_are_one_for_two_outages_of_a_system_in_one_day(self):
        hub = SmallHub()
        hub.fail(BILLING, [*range(300, 320), *range(900, 920)], 2)
        (match,) = gather(hub)
        assert (match.cluster.count, match.cluster.first, match.cluster.last) == (80, 300, 919)

    @pytest.mark.parametrize(
        ("texts", "counts"),
        [
            ((REFUSED, TIMED_OUT), [80]),
            ((REFUSED, "Vorgang markalo endete"), [40, 40]),
            (("Vorgang markalo endete", "Le traitement peqolausz"), [40, 40]),
            (("Vorgang markalo endete", "Vorgang markalo endete"), [80]),
        ],
    )
    def test_are_one_for_two_outages_of_a_system_with_a_common_text_or_of_infrastructure(self, texts, counts):
        hub = SmallHub()
        for start, text in zip((300, 900), texts, strict=True):
            hub.fail(make_cell("billing", text, system=BANK), range(start, start + 20), 2)
        matches = gather(hub)
        assert [(match.cluster.key.system, match.cluster.count) for match in matches] == [
            (BANK, count) for count in counts
        ]

    @pytest.mark.parametrize(
        ("text", "number"), [(TIMED_OUT, 7), ("Vorgang markalo endete", None), (REFUSED, 7)]
    )
    def test_of_a_system_are_reused_for_a_common_text_or_infrastructure(self, hub, text, number):
        cell = make_cell("billing", text, system=BANK)
        incident = make_incident(7, cell, minutes=range(-200, -100), ended=-60)
        assert gather(hub, [incident])[0].incident_id == number


class TestLongIncident:
    DAY = range(1, 1441)

    def test_continues_when_the_day_has_only_its_failures(self):
        hub = SmallHub()
        hub.fail(BILLING, self.DAY)
        (match,) = gather(hub, [make_incident(7, BILLING, minutes=range(-500, 1400))])
        assert (match.incident_id, match.cluster.count, match.cluster.last) == (7, 1440, 1440)

    def test_is_not_opened_by_a_background(self):
        hub = SmallHub()
        hub.fail(BILLING, self.DAY)
        assert gather(hub) == []

    def test_does_not_continue_after_its_failures_stopped(self):
        hub = SmallHub()
        hub.fail(BILLING, range(1, 1441, 60))
        assert gather(hub, [make_incident(7, BILLING, minutes=range(-500, 1400))]) == []

    def test_does_not_continue_after_its_end(self):
        hub = SmallHub()
        hub.fail(BILLING, self.DAY)
        assert gather(hub, [make_incident(7, BILLING, minutes=range(-500, 1400), ended=1400)]) == []


class TestDecisions:
    def test_keep_a_cell_in_the_incident_to_which_a_person_moved_it(self, hub):
        incident = make_incident(7, BILLING)
        matches = gather(hub, [incident], Decisions(belongs={CAST: 7}))
        assert list_numbers(matches) == [(7, BANK, ())]
        (member,) = [member for member in matches[0].cluster.members if member.cell == CAST]
        assert (member.reason, member.strength) == (Reason.PERSON, Strength.HIGH)
        assert matches[0].cluster.count == 180

    def test_take_a_cell_from_the_cluster_of_the_rule(self, hub):
        incidents = [make_incident(7, BILLING), make_incident(8, CAST, key=Key(service="stock"))]
        matches = gather(hub, incidents, Decisions(belongs={ORDER: 8}))
        assert [(match.incident_id, match.cluster.count) for match in matches] == [(7, 60), (8, 120)]

    def test_keep_an_incident_that_the_rule_would_not_make(self):
        hub = SmallHub()
        hub.fail(BILLING, [610, 900])
        matches = gather(hub, [make_incident(7, BILLING)], Decisions(belongs={BILLING: 7}))
        assert [(match.incident_id, match.cluster.count) for match in matches] == [(7, 2)]

    def test_count_from_the_begin_of_the_incident(self, hub):
        hub.fail(CAST, [5, 50])
        matches = gather(hub, [make_incident(7, BILLING)], Decisions(belongs={CAST: 7}))
        assert matches[0].cluster.first == 601

    def test_keep_a_cell_out(self, hub):
        decisions = Decisions(never=frozenset({(ORDER, 7)}))
        match = gather(hub, [make_incident(7, BILLING)], decisions)[0]
        assert (match.incident_id, match.cluster.services) == (7, ("billing",))

    def test_keep_a_cell_out_of_an_incident_that_was_merged(self, hub):
        decisions = Decisions(never=frozenset({(ORDER, 9)}), merged={9: 7})
        match = gather(hub, [make_incident(7, BILLING), make_incident(9, ORDER)], decisions)[0]
        assert (match.incident_id, match.cluster.services) == (7, ("billing",))

    def test_join_incidents_that_people_merged(self, hub):
        incidents = [make_incident(7, BILLING, ORDER), make_incident(8, CAST, key=Key(service="stock"))]
        (match,) = gather(hub, incidents, Decisions(merged={8: 7}))
        assert (match.incident_id, match.cluster.count, match.cluster.key) == (7, 180, Key(system=BANK))

    def test_follow_several_merges(self):
        decisions = Decisions(merged={9: 8, 8: 7, 5: 6, 6: 5})
        assert decisions.find_survivor(9) == 7
        assert decisions.find_survivor(5) in (5, 6)

    def test_keep_incidents_apart_that_people_split(self, hub):
        incidents = [make_incident(7, BILLING), make_incident(9, ORDER)]
        decisions = Decisions(belongs={ORDER: 9}, apart=frozenset({(7, 9)}))
        matches = gather(hub, incidents, decisions)
        assert [(m.incident_id, m.cluster.services, m.absorbed) for m in matches[:2]] == [
            (7, ("billing",), ()),
            (9, ("order",), ()),
        ]
