from datetime import UTC, datetime, timedelta

import pytest

from messages_app.incidents.rates import Rate, compare_hours

NOW = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "last", "trend"),
    [
        (0, 3, "rising"),
        (8, 11, "rising"),
        (8, 10, "steady"),
        (10, 8, "steady"),
        (11, 8, "falling"),
        # Nothing comes any more: there is no rate that could fall.
        (40, 0, ""),
        (0, 0, ""),
    ],
)
def test_a_trend_compares_the_last_hour_with_the_one_before(before: int, last: int, trend: str):
    minutes = [
        (NOW - timedelta(minutes=121), 1_000),
        (NOW - timedelta(minutes=119), before),
        (NOW - timedelta(minutes=59), last),
    ]
    assert compare_hours(minutes, now=NOW) == Rate(last_hour=last, trend=trend)
