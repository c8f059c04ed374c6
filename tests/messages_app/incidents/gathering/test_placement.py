"""Failures without a system belong to the outage of a system only near its time."""

from collections.abc import Iterable

import pytest

from messages_app.incidents.gathering.records import Cluster, Key, Reason
from tests.messages_app.incidents.gathering.small_hub import BANK, REFUSED, TIMED_OUT, SmallHub, make_cell

OUTAGE = range(601, 661)
PLACED = make_cell("billing", TIMED_OUT)


def gather_beside_outage(beside: Iterable[int]) -> list[Cluster]:
    """Gather an outage of the bank, and failures without a system during it and in the given minutes."""
    hub = SmallHub()
    hub.fail(make_cell("order", REFUSED, system=BANK), OUTAGE, 4)
    # These few do not show how long the outage was for this service.
    hub.fail(make_cell("billing", REFUSED, system=BANK), range(601, 661, 12))
    hub.fail(PLACED, [*OUTAGE, *beside])
    return hub.gather()


class TestPlaceStrands:
    @pytest.mark.parametrize(
        ("beside", "first", "last", "count"),
        [
            (range(661, 676), 601, 675, 75),
            (range(661, 681), 601, 680, 80),
            # The failures after minute 680 and before minute 581 are left out.
            (range(661, 701, 5), 601, 680, 64),
            (range(561, 601, 5), 581, 660, 64),
        ],
    )
    def test_places_failures_up_to_20_minutes_from_the_outage(self, beside, first, last, count):
        (cluster,) = gather_beside_outage(beside)
        assert cluster.key == Key(system=BANK)
        (member,) = (one for one in cluster.members if one.cell == PLACED)
        assert (member.reason, member.first, member.last) == (Reason.SYSTEM_BY_TIME, first, last)
        assert cluster.count == 4 * len(OUTAGE) + 5 + count

    @pytest.mark.parametrize(
        ("beside", "is_placed"),
        [
            # Of 100 failures, 80 are at most 20 minutes from the outage; of 101, 80 are.
            (range(661, 701), True),
            (range(661, 702), False),
            (range(561, 601), True),
            (range(560, 601), False),
        ],
    )
    def test_places_failures_of_which_four_fifths_are_within_20_minutes_of_the_outage(
        self, beside, is_placed
    ):
        keys = {cluster.key for cluster in gather_beside_outage(beside)}
        other = Key(service="billing", text="no answer in time")
        assert keys == ({Key(system=BANK)} if is_placed else {Key(system=BANK), other})
