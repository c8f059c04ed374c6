from datetime import UTC, datetime

import pytest

from messages_app.demo.arrival_times import DAY, HOUR, last_outage, make_arrivals
from messages_app.demo.world import make_dice

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()


def moments(count: int, seed: int = 1) -> list[float]:
    return list(make_arrivals(count=count, now=NOW, outage=last_outage(NOW), random=make_dice(seed)))


class TestLastOutage:
    @pytest.mark.parametrize("hour", range(24))
    def test_is_over_for_an_hour_and_within_the_windows_of_today(self, hour):
        now = datetime(2026, 11, 21, hour, 29, tzinfo=UTC).timestamp()
        outage = last_outage(now)
        assert now - 5 * HOUR < outage.begins_at < outage.ends_at <= now - HOUR
        assert now - 3 * HOUR < outage.ends_at
        assert outage.has_moment(outage.begins_at)
        assert not outage.has_moment(outage.ends_at)


class TestArrivals:
    @pytest.mark.parametrize("count", [0, 1, 2, 999, 20_000])
    def test_yields_the_requested_number_in_order_and_in_the_past(self, count):
        given = moments(count)
        assert len(given) == count
        assert given == sorted(given)
        assert all(NOW - 730 * DAY <= at <= NOW for at in given)

    def test_leaves_enough_for_the_archive(self):
        given = moments(20_000)
        assert 0.45 < sum(at < NOW - 62 * DAY for at in given) / len(given) < 0.6

    def test_has_busy_and_quiet_hours_and_days(self):
        times = [datetime.fromtimestamp(at, UTC) for at in moments(20_000)]
        assert sum(at.hour == 10 for at in times) > 5 * sum(at.hour == 1 for at in times)
        assert sum(at.weekday() == 1 for at in times) > 2 * sum(at.weekday() == 6 for at in times)

    def test_is_the_same_for_the_same_seed(self):
        assert moments(500) == moments(500)
        assert moments(500) != moments(500, seed=2)
