"""The outage of a system holds failures of its calls in every service."""

import pytest

from messages_app.incidents.gathering.pools import find_family
from messages_app.incidents.gathering.records import Key, Reason, Strength
from messages_app.incidents.gathering.systems import SHARED_FAMILIES
from messages_app.shared.error_causes import CAUSES
from tests.messages_app.incidents.gathering.small_hub import (
    BANK,
    REFUSED,
    TIMED_OUT,
    SmallHub,
    list_texts,
    make_cell,
)

OUTAGE = range(601, 661)


class TestOutage:
    def test_holds_several_texts_of_several_services(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("billing", TIMED_OUT, system=BANK), OUTAGE)
        hub.fail(make_cell("order", "Service unavailable (HTTP 503)", system=BANK), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.key == Key(system=BANK)
        assert (cluster.count, cluster.first, cluster.last) == (240, 601, 660)
        assert cluster.services == ("billing", "order")
        assert {member.reason for member in cluster.members} == {Reason.SYSTEM}
        assert {member.strength for member in cluster.members} == {Strength.HIGH}

    def test_holds_new_texts_of_unknown_words(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("billing", "Kalo mirek gaf osu", system=BANK), OUTAGE)
        (cluster,) = hub.gather()
        assert cluster.count == 180

    def test_leaves_out_wrong_data_that_the_system_rejects(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(
            make_cell("billing", "Not found (HTTP 404) by pay.example/x", system=BANK), range(1, 1441, 30)
        )
        (cluster,) = hub.gather()
        assert list_texts(cluster) == {("billing", REFUSED)}

    def test_leaves_out_an_unknown_text_that_comes_all_day(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("billing", "Kalo mirek gaf osu", system=BANK), range(1, 1441, 30))
        (cluster,) = hub.gather()
        assert list_texts(cluster) == {("billing", REFUSED)}

    def test_leaves_out_a_service_that_fails_as_always(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("stock", REFUSED, system=BANK), range(5, 1441, 40))
        (cluster,) = hub.gather()
        assert cluster.services == ("billing",)

    def test_leaves_out_a_text_that_comes_as_always(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("billing", TIMED_OUT, system=BANK), [50, 250, 450, 630, 850, 1050, 1250])
        (cluster,) = hub.gather()
        assert list_texts(cluster) == {("billing", REFUSED)}

    def test_leaves_out_a_small_burst_of_chance_before_it(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        for start, service in enumerate(("billing", "order", "stock"), 1):
            hub.fail(
                make_cell(service, TIMED_OUT, system=BANK),
                [*range(5 * start, 591, 15), *OUTAGE, *range(670 + start, 1441, 15)],
            )
        hub.fail(make_cell("order", "Service unavailable (HTTP 503)", system=BANK), [572, 573, 574])
        (cluster,) = hub.gather()
        assert (cluster.first, cluster.last) == (601, 660)

    def test_holds_a_small_service_whose_failures_are_unusual(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("order", REFUSED, system=BANK), OUTAGE, 2)
        hub.fail(make_cell("stock", REFUSED, system=BANK), [610, 640])
        (cluster,) = hub.gather()
        assert cluster.services == ("billing", "order", "stock")

    def test_is_found_where_no_service_has_enough_failures(self):
        services = [f"s{number}" for number in range(8)]
        hub = SmallHub(services)
        for number, service in enumerate(services):
            hub.fail(make_cell(service, REFUSED, system=BANK), [601 + number])
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(system=BANK), 8)

    def test_leaves_out_the_failures_of_other_hours(self):
        hub = SmallHub()
        hub.fail(make_cell("billing", REFUSED, system=BANK), [*OUTAGE, 50, 300, 1100])
        (cluster,) = hub.gather()
        assert (cluster.count, cluster.first, cluster.last) == (60, 601, 660)

    def test_of_too_few_failures_does_not_open_an_incident(self):
        hub = SmallHub()
        hub.fail(make_cell(system=BANK), range(601, 605))
        assert hub.gather() == []
        assert len(hub.gather(opening=4)) == 1


class TestTwoOutages:
    def test_of_different_systems_are_two_incidents(self):
        hub = SmallHub()
        for system in (BANK, "crm.example"):
            for service in ("billing", "order"):
                hub.fail(make_cell(service, TIMED_OUT, system=system), OUTAGE)
        assert sorted(cluster.key.system for cluster in hub.gather()) == ["crm.example", BANK]

    def test_of_one_system_hours_apart_are_two_ranges(self):
        hub = SmallHub()
        hub.fail(make_cell(system=BANK), [*range(300, 320), *range(900, 920)], 2)
        ranges = sorted((cluster.first, cluster.last) for cluster in hub.gather())
        assert ranges == [(300, 319), (900, 919)]


class TestSeveralSystems:
    def fail_lookups(self, hub, systems, minutes=OUTAGE):
        for system in systems:
            hub.fail(make_cell("billing", f"Unknown host {system}", system=system), minutes)

    def test_with_one_cause_of_what_they_share_at_the_same_time_have_one(self):
        hub = SmallHub()
        self.fail_lookups(hub, ["a.example", "b.example", "c.example"])
        (cluster,) = hub.gather()
        assert (cluster.key, cluster.count) == (Key(text="unknown host"), 180)

    @pytest.mark.parametrize("text", ["Connection refused", "Out of order", "No answer in time"])
    def test_with_any_other_text_at_the_same_time_have_a_cause_each(self, text):
        hub = SmallHub()
        systems = ["a.example", "b.example", "c.example", "d.example"]
        for system in systems:
            hub.fail(make_cell("billing", text, system=system), OUTAGE)
        assert sorted((cluster.key.system, cluster.count) for cluster in hub.gather()) == [
            (system, 60) for system in systems
        ]

    def test_share_names_routes_certificates_and_the_machine_of_the_hub(self):
        assert sorted(SHARED_FAMILIES) == [
            "certificate expired",
            "certificate not trusted",
            "certificate not valid yet",
            "disk is full",
            "no more threads",
            "no route",
            "out of memory",
            "out of memory: direct buffers",
            "out of memory: garbage collection",
            "out of memory: metaspace",
            "tls handshake failed",
            "too many open files",
            "unknown host",
        ]

    @pytest.mark.parametrize("title", [row.title for row in CAUSES if row.is_shared])
    def test_share_causes_whose_texts_are_one_family(self, title):
        assert find_family(f"{title} of a.example") == title.lower()

    def test_that_are_only_two_have_two_causes(self):
        hub = SmallHub()
        self.fail_lookups(hub, ["a.example", "b.example"])
        assert len(hub.gather()) == 2

    def test_at_other_times_have_other_causes(self):
        hub = SmallHub()
        self.fail_lookups(hub, ["a.example"], range(601, 661))
        self.fail_lookups(hub, ["b.example"], range(640, 700))
        self.fail_lookups(hub, ["c.example"], range(620, 640))
        assert len(hub.gather()) == 3

    def test_with_different_texts_have_different_causes(self):
        hub = SmallHub()
        for text, system in (
            (REFUSED, "a.example"),
            (TIMED_OUT, "b.example"),
            ("Unknown host c", "c.example"),
        ):
            hub.fail(make_cell("billing", text, system=system), OUTAGE)
        assert len(hub.gather()) == 3
