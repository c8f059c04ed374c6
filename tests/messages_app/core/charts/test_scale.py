"""The labels of times below a chart, in the zone of the user."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from messages_app.core.charts.scale import TimeScale
from tests.support.factories import NOON

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def labels(start: datetime, span: timedelta, *, pixels: int = 0) -> list[tuple[float, str]]:
    scale = TimeScale(start=start, stop=start + span, highest=1, pixels=pixels)
    return [(tick.place, tick.text) for tick in scale.ticks]


@pytest.mark.parametrize(
    ("span", "texts"),
    [
        (timedelta(0), []),
        (5 * timedelta(seconds=1), [f"12:00:0{second}" for second in range(6)]),
        (90 * timedelta(seconds=1), ["12:00:00", "12:00:15", "12:00:30", "12:00:45", "12:01:00", "12:01:15",
                                      "12:01:30"]),
        (6 * MINUTE, ["12:00", "12:01", "12:02", "12:03", "12:04", "12:05", "12:06"]),
        (HOUR, ["12:00", "12:10", "12:20", "12:30", "12:40", "12:50", "13:00"]),
        (24 * HOUR, ["12:00", "18:00", "2 Nov", "06:00", "12:00"]),
        (7 * DAY, ["3 Nov", "5 Nov", "7 Nov"]),
        (70 * DAY, ["9 Nov", "23 Nov", "7 Dec", "21 Dec", "4 Jan"]),
        (300 * DAY, ["Jan 2027", "Mar 2027", "May 2027", "Jul 2027"]),
        (20 * 365 * DAY, ["Jan 2030", "Jan 2035", "Jan 2040", "Jan 2045"]),
    ],
)  # fmt: skip
def test_labels_are_round_times_and_days(span, texts):
    assert [text for _, text in labels(NOON, span)] == texts


def test_labels_are_at_their_times():
    assert labels(NOON + 15 * MINUTE, 2 * HOUR) == [
        (12.5, "12:30"), (37.5, "13:00"), (62.5, "13:30"), (87.5, "14:00")
    ]  # fmt: skip


def test_labels_are_times_of_the_users_zone():
    with timezone.override("Asia/Kolkata"):
        assert labels(NOON, 24 * HOUR) == [
            (2.08, "18:00"), (27.08, "2 Nov"), (52.08, "06:00"), (77.08, "12:00")
        ]  # fmt: skip


def test_a_narrow_chart_has_few_labels():
    assert [text for _, text in labels(NOON, HOUR, pixels=144)] == ["12:00", "12:30", "13:00"]


def test_labels_at_the_edges_stay_inside():
    scale = TimeScale(start=NOON, stop=NOON + HOUR, highest=1)
    assert [tick.anchor for tick in scale.ticks] == ["start", *["middle"] * 5, "end"]


def test_a_scale_ends_with_the_calendar():
    last = datetime(9999, 12, 31, 23, tzinfo=UTC)
    assert labels(last, 59 * MINUTE) == []
