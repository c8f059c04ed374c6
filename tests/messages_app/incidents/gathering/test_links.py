"""Strands have one cause by their text, their service and their time."""

from messages_app.incidents.gathering.records import Key, Reason
from tests.messages_app.incidents.gathering.small_hub import (
    BANK,
    REFUSED,
    TIMED_OUT,
    SmallHub,
    list_texts,
    make_cell,
)

OUTAGE = range(601, 661)
CAST = "class A cannot be cast to class B"
STATE = "illegal state of the order"
UNKNOWN = "Kalo mirek gaf osu"
OTHER_UNKNOWN = "Tek vis zulo pek"


class TestService:
    def test_with_several_new_errors_has_one_incident(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", CAST), OUTAGE, 2)
        hub.fail(make_cell("billing", STATE), OUTAGE)
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(service="billing"), 180)
        assert {member.reason for member in cluster.members} == {Reason.SERVICE}

    def test_with_errors_at_different_times_has_two(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", CAST), range(601, 661), 2)
        hub.fail(make_cell("billing", STATE), range(640, 700), 2)
        assert sorted(cluster.count for cluster in hub.gather()) == [120, 120]

    def test_with_a_bad_release_while_a_system_is_down_has_two(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", CAST), OUTAGE, 2)
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE)
        assert sorted(cluster.key for cluster in hub.gather()) == sorted(
            [Key(system=BANK), Key(service="billing", text="class cannot be cast to")]
        )

    def test_has_two_if_the_system_is_not_known_but_the_text_is(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", CAST), OUTAGE, 2)
        hub.fail(make_cell("billing", TIMED_OUT), OUTAGE)
        assert sorted(cluster.count for cluster in hub.gather()) == [60, 120]

    def test_has_one_for_variants_of_an_unknown_text(self):
        hub = SmallHub()
        for number, end in enumerate(("eins", "zwei", "drei", "vier")):
            hub.fail(make_cell("billing", f"Kalo mirek {end}"), range(601 + number, 661, 4))
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(service="billing"), 60)

    def test_keeps_variants_of_an_unknown_text_together_while_a_system_is_slow(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", TIMED_OUT), OUTAGE, 2)
        hub.fail(make_cell("billing", "Kalo mirek eins"), range(630, 700), 2)
        hub.fail(make_cell("billing", "Kalo mirek zwei"), [635, 642, 650])
        assert sorted(cluster.count for cluster in hub.gather()) == [120, 143]

    def test_that_has_two_errors_is_not_joined_with_another_service(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", CAST), OUTAGE)
        hub.fail(make_cell("order", STATE), OUTAGE)
        assert len(hub.gather()) == 2


class TestText:
    def test_in_several_services_at_the_same_time_is_one_incident(self):
        hub = SmallHub()
        for service in ("billing", "order", "stock"):
            hub.fail(make_cell(service, "Too many database connections (PostgreSQL)"), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key == Key(text="too many database connections")
        assert {member.reason for member in cluster.members} == {Reason.TEXT}

    def test_joins_the_other_texts_of_these_services(self):
        hub = SmallHub()
        for service in ("billing", "order"):
            for text in ("Too many database connections (PostgreSQL)", "Statement timed out (PostgreSQL)"):
                hub.fail(make_cell(service, text), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.count == 240

    def test_has_a_rarer_text_of_its_largest_service_that_the_others_are_too_small_to_show(self):
        for elsewhere, clusters in ((6, [126]), (60, [60, 120])):
            hub = SmallHub()
            hub.fail(make_cell("billing", UNKNOWN), OUTAGE[::2], 2 if elsewhere == 60 else 3)
            hub.fail(make_cell("order", UNKNOWN), OUTAGE[:: 60 // elsewhere])
            hub.fail(make_cell("billing", OTHER_UNKNOWN), OUTAGE[::2], 2 if elsewhere == 60 else 1)
            assert sorted(cluster.count for cluster in hub.gather()) == clusters

    def test_at_different_times_is_two_incidents(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", TIMED_OUT), range(300, 360))
        hub.fail(make_cell("order", TIMED_OUT), range(900, 960))
        assert len(hub.gather()) == 2

    def test_brings_services_with_a_few_failures(self):
        hub = SmallHub()
        for service in ("billing", "order"):
            hub.fail(make_cell(service, UNKNOWN), OUTAGE)
        hub.fail(make_cell("stock", UNKNOWN), [620, 650])
        (cluster,) = hub.gather()
        assert cluster.services == ("billing", "order", "stock")

    def test_is_apart_from_another_one_whose_services_it_shares_only_in_part(self):
        hub = SmallHub()
        for text, services in ((UNKNOWN, ("billing", "order")), (OTHER_UNKNOWN, ("order", "stock"))):
            for service in services:
                hub.fail(make_cell(service, text), OUTAGE)
        texts = sorted(sorted(list_texts(cluster)) for cluster in hub.gather())
        assert texts == [
            [("billing", UNKNOWN), ("order", UNKNOWN)],
            [("order", OTHER_UNKNOWN), ("stock", OTHER_UNKNOWN)],
        ]

    def test_is_apart_from_another_one_that_ends_later_as_a_whole(self):
        hub = SmallHub()
        for service in ("billing", "order", "stock"):
            hub.fail(make_cell(service, UNKNOWN), range(601, 721), 2)
            minutes = [603, 619, 640] if service == "billing" else range(601, 641)
            hub.fail(make_cell(service, OTHER_UNKNOWN), minutes)
        assert sorted(cluster.count for cluster in hub.gather()) == [83, 720]


class TestSystemByTime:
    def fail_bank(self, hub, services=("billing", "order")):
        for service in services:
            hub.fail(make_cell(service, REFUSED, system=BANK), OUTAGE, 2)

    def test_takes_a_text_without_a_system_in_its_services(self):
        hub = SmallHub()
        self.fail_bank(hub)
        for service in ("billing", "order"):
            hub.fail(make_cell(service, TIMED_OUT), OUTAGE)
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(system=BANK), 360)
        reasons = {member.cell.text: member.reason for member in cluster.members}
        assert reasons == {REFUSED: Reason.SYSTEM, TIMED_OUT: Reason.SYSTEM_BY_TIME}

    def test_leaves_out_what_such_a_text_has_long_before(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("billing", TIMED_OUT), [*range(551, 561, 3), *OUTAGE])
        (cluster,) = hub.gather()
        assert (cluster.first, cluster.count) == (601, 300)

    def test_takes_an_unknown_text_in_two_of_its_services(self):
        hub = SmallHub()
        self.fail_bank(hub)
        for service in ("billing", "order"):
            hub.fail(make_cell(service, UNKNOWN), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.count == 360

    def test_takes_an_unknown_text_of_one_service_only_at_its_times(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("billing", UNKNOWN), OUTAGE)
        hub.fail(make_cell("order", OTHER_UNKNOWN), range(625, 720))
        assert [list_texts(cluster) for cluster in hub.gather() if not cluster.key.system] == [
            {("order", OTHER_UNKNOWN)}
        ]

    def test_leaves_out_an_unknown_text_of_another_operation(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("billing", UNKNOWN, operation="cancel"), OUTAGE)
        assert len(hub.gather()) == 2

    def test_leaves_out_failures_of_another_system(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("billing", TIMED_OUT), OUTAGE)
        hub.fail(make_cell("billing", UNKNOWN, system="crm.example"), [603, 607, 631, 650])
        cells = {member.cell for cluster in hub.gather() for member in cluster.members}
        assert "crm.example" not in {cell.system for cell in cells}

    def test_leaves_out_errors_of_the_program(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("billing", CAST), OUTAGE)
        assert len(hub.gather()) == 2

    def test_leaves_out_services_that_do_not_call_it(self):
        hub = SmallHub()
        self.fail_bank(hub)
        hub.fail(make_cell("stock", TIMED_OUT), OUTAGE)
        assert len(hub.gather()) == 2

    def test_divides_a_text_of_two_systems_by_their_services(self):
        hub = SmallHub(["billing", "order", "stock", "claims"])
        self.fail_bank(hub, ["billing", "order", "stock"])
        refused = "Connection refused by crm.example"
        hub.fail(make_cell("claims", refused, system="crm.example"), OUTAGE, 2)
        for service in ("billing", "order", "stock", "claims"):
            hub.fail(make_cell(service, UNKNOWN), OUTAGE)
        services = {cluster.key.system: cluster.services for cluster in hub.gather()}
        assert services == {BANK: ("billing", "order", "stock"), "crm.example": ("claims",)}

    def test_divides_a_text_of_two_systems_by_their_operations(self):
        hub = SmallHub()
        for system, operation in ((BANK, "create"), ("crm.example", "cancel")):
            hub.fail(make_cell("billing", REFUSED, system=system, operation=operation), OUTAGE, 2)
            hub.fail(make_cell("billing", TIMED_OUT, operation=operation), OUTAGE)
        clusters = {cluster.key.system: cluster for cluster in hub.gather()}
        assert {system: cluster.count for system, cluster in clusters.items()} == {
            BANK: 180,
            "crm.example": 180,
        }
        operations = {member.cell.operation for member in clusters[BANK].members}
        assert operations == {"create"}
