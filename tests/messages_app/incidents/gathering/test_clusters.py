"""Clusters share no failure, and their members have a strength."""

import random

import pytest

from messages_app.incidents.gathering.clusters import count_clusters, find_strength, separate_members
from messages_app.incidents.gathering.records import Cluster, Key, Member, Reason, Strength
from tests.messages_app.incidents.gathering.small_hub import BANK, SmallHub, make_cell

CELL = make_cell()


def make_cluster(reason: Reason, first: int, last: int) -> Cluster:
    return Cluster(key=Key(text=reason), members=[Member(CELL, first, last, reason, Strength.HIGH)])


def list_ranges(clusters: list[Cluster]) -> dict[str, list[tuple[int, int]]]:
    return {one.key.text: [(member.first, member.last) for member in one.members] for one in clusters}


class TestSeparateMembers:
    def test_gives_shared_minutes_to_the_sender_before_the_system(self):
        clusters = separate_members([make_cluster(Reason.SYSTEM, 1, 30), make_cluster(Reason.SENDER, 10, 20)])
        assert list_ranges(clusters) == {"system": [(1, 9), (21, 30)], "sender": [(10, 20)]}

    def test_drops_a_cluster_whose_failures_all_belong_to_another(self):
        clusters = separate_members([make_cluster(Reason.SERVICE, 5, 6), make_cluster(Reason.SYSTEM, 1, 30)])
        assert list_ranges(clusters) == {"system": [(1, 30)]}

    def test_leaves_ranges_that_do_not_meet(self):
        clusters = separate_members([make_cluster(Reason.SERVICE, 1, 5), make_cluster(Reason.SYSTEM, 6, 9)])
        assert list_ranges(clusters) == {"service": [(1, 5)], "system": [(6, 9)]}


def test_counts_are_of_the_failures_within_the_members():
    cluster = make_cluster(Reason.SYSTEM, 10, 20)
    assert count_clusters([cluster], {CELL: {9: 5, 10: 1, 20: 2, 21: 7}}) == [cluster]
    assert (cluster.count, cluster.first, cluster.last) == (3, 10, 20)
    assert count_clusters([make_cluster(Reason.SYSTEM, 10, 20)], {CELL: {9: 5}}) == []


@pytest.mark.parametrize(
    ("purity", "strength"),
    [(1.0, Strength.HIGH), (0.95, Strength.HIGH), (0.9, Strength.MEDIUM), (0.79, Strength.LOW)],
)
def test_strength_is_the_share_that_was_not_expected(purity, strength):
    assert find_strength(purity) is strength


def test_failures_of_every_hour_do_not_open_an_incident():
    hub = SmallHub()
    for service in ("billing", "order", "stock"):
        hub.fail(make_cell(service, system=BANK), range(5, 1441, 35))
        hub.fail(make_cell(service, "Order is closed"), range(17, 1441, 50))
    assert hub.gather() == []


def test_random_failures_are_rarely_an_incident():
    source = random.Random(1)  # noqa: S311 - repeatable
    incidents = 0
    for _ in range(20):
        hub = SmallHub()
        for service in ("billing", "order", "stock"):
            for text in ("Order is closed", "No answer in time", "Kalo mirek gaf osu"):
                hub.fail(make_cell(service, text), (source.randint(1, 1440) for _ in range(60)))
        incidents += len(hub.gather())
    assert incidents <= 1


@pytest.mark.parametrize("processed", [0, 14])
def test_an_outage_that_most_messages_of_the_day_meet_is_an_incident(processed):
    hub = SmallHub(services=())
    outage = hub.fail(make_cell(system=BANK), range(1000, 1180, 3))
    for minute in hub.failures[outage]:
        hub.traffic.add_messages("billing", "WEB", minute, 1)
    for number in range(processed):
        hub.traffic.add_messages("billing", "WEB", 20 + number * 65, 1)
    (cluster,) = hub.gather()
    assert (cluster.count, cluster.key.system) == (60, BANK)


def test_failures_of_a_service_that_works_some_hours_a_day_open_no_incident():
    hub = SmallHub(services=())
    hub.fail(make_cell(text="Order is closed"), range(600, 900, 6))
    for minute in range(600, 900):
        hub.traffic.add_messages("billing", "WEB", minute, 10)
    assert hub.gather() == []


def test_a_hub_without_failures_has_no_incident():
    assert SmallHub().gather() == []


def test_a_hub_without_traffic_counts_has_incidents_by_time():
    hub = SmallHub(services=())
    hub.fail(make_cell(system=BANK), range(601, 621))
    assert len(hub.gather()) == 1
