from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.charts.slices import cut_into_slices
from messages_app.core.clock import database_clock
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors.throughput import (
    HOURS,
    SLICES,
    count_dispatches_over_time,
    measure_paces,
)
from messages_app.cp_queue.services.dispatch import dispatch_message
from tests.support.queues import store

pytestmark = pytest.mark.django_db


def dispatched(name: str, reason: str = "OK", *, queue: str = "RENDITION", minutes_ago: int = 0) -> None:
    """Let a service process one message, the given time ago."""
    guid = store(name, queue, lock="W1")
    dispatch_message(guid=guid, service="W1", reason=reason)
    moment = database_clock() - timedelta(minutes=minutes_ago, seconds=1)
    CpDispatch.objects.filter(messageguid=guid).update(at=moment)


class TestPaces:
    def test_count_dispatches_by_five_minutes_the_newest_last(self):
        dispatched("A")
        dispatched("B", "broken", minutes_ago=7)
        dispatched("C", minutes_ago=90)
        dispatched("D", queue="PAGECOUNT")
        pace = measure_paces(["RENDITION", "RENRESET"])["RENDITION"]
        assert pace.dispatched == [0] * (SLICES - 2) + [1, 1]
        assert pace.failed == [0] * (SLICES - 2) + [1, 0]
        assert (pace.total, pace.read_slices) == (2, SLICES)

    def test_count_lost_pickups_by_hour(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO cp_lost_pickup (queuename, hour, service, lost) SELECT 'RENDITION',"
                " date_trunc('hour', now()) - ago * interval '1 hour', service, 2"
                " FROM unnest(ARRAY[0, 3, 99]) AS ago, unnest(ARRAY['W1', 'W2']) AS service"
            )
        pace = measure_paces(["RENDITION"])["RENDITION"]
        assert len(pace.lost) == HOURS
        assert (pace.lost[-1], pace.lost[-4], pace.lost_in_all) == (4, 4, 8)

    def test_report_the_time_from_which_they_counted(self, monkeypatch):
        monkeypatch.setattr("messages_app.cp_queue.selectors.throughput._FENCE", 2)
        for number, minutes in enumerate((40, 7, 0)):
            dispatched(f"A{number}", minutes_ago=minutes)
        pace = measure_paces(["RENDITION"])["RENDITION"]
        assert (pace.total, pace.read_slices) == (2, 2)


class TestDispatchesOverTime:
    def test_are_counted_by_outcome_and_filter(self):
        dispatched("A")
        dispatched("B", "RETRY")
        dispatched("C", queue="PAGECOUNT")
        now = database_clock()
        start = now - timedelta(hours=1)
        for values, expected in (
            ({}, {"done": 2, "deferred": 1}),
            ({"queuename": "PAGECOUNT"}, {"done": 1}),
            ({"service": "W1", "outcome": "deferred"}, {"deferred": 1}),
            ({"service": "W1", "queuename": "PAGECOUNT"}, {"done": 1}),
            ({"osid": 6}, {}),
        ):
            told = count_dispatches_over_time(
                values=values, start=start, stop=now, slices=cut_into_slices(start, now)
            )
            found: dict[str, int] = {}
            for (_, outcome), count in told.counts.items():
                found[outcome] = found.get(outcome, 0) + count
            assert (found, told.is_cut) == (expected, False), values
