"""The time that the chart of a group shows, and its slices."""

from datetime import UTC, datetime, timedelta

from messages_app.messages.failures.chart import draw_group
from messages_app.messages.failures.models import FailureGroup
from tests.support.factories import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def draw(*failures: tuple[timedelta, int], chosen: str = ""):
    """Draw the chart of a group from (age, failures), oldest first."""
    minutes = [(NOON - age, count) for age, count in failures]
    first = minutes[0][0] if minutes else NOON
    return draw_group(FailureGroup(first_seen=first), minutes, now=NOON, chosen=chosen)


def ends_of(chart) -> tuple[datetime, datetime]:
    return chart.columns.slices.start, chart.columns.slices.stop


def test_there_is_no_chart_without_failures():
    assert draw() is None


def test_there_is_no_chart_at_the_end_of_the_calendar():
    last = datetime.max.replace(tzinfo=UTC) - timedelta(minutes=1)
    assert draw_group(FailureGroup(first_seen=last), [(last, 1)], now=NOON) is None


def test_begins_with_the_first_failure_and_ends_now():
    outage = draw(*((2 * HOUR - timedelta(minutes=number), 1) for number in range(0, 120, 4)))
    assert ends_of(outage) == (NOON - 2 * HOUR, NOON)
    assert outage.columns.step == "2 min"
    assert [column.x for column in outage.columns.columns[:3]] == [0, 20, 40]
    assert outage.choices == []


def test_ends_soon_after_an_outage_that_is_over():
    over = draw((20 * HOUR, 5), (19 * HOUR, 5))
    assert ends_of(over) == (NOON - 20 * HOUR, NOON - 18 * HOUR)


def test_is_as_wide_as_its_few_failures():
    once = draw((31 * timedelta(minutes=1), 1)).columns
    assert (once.slices.count, once.scale.pixels) == (7, 144)
    assert once.step == "5 min"


def test_shows_the_shortest_time_with_most_failures_and_offers_the_others():
    old = (200 * DAY, 2), (3 * DAY, 3)
    recent = draw(*old, (2 * HOUR, 4), (HOUR, 4))
    assert ends_of(recent) == (NOON - 2 * HOUR, NOON)
    assert recent.choices == [
        ("day", "24 h", True), ("week", "7 d", False), ("first", "Since the first", False)
    ]  # fmt: skip
    week = draw(*old, (2 * HOUR, 4), (HOUR, 4), chosen="week")
    assert (ends_of(week)[0], week.columns.total) == (NOON - 3 * DAY, 11)
    assert draw(*old, (HOUR, 8), chosen="first").columns.total == 13


def test_a_time_without_failures_or_an_unknown_one_is_not_shown():
    assert draw((200 * DAY, 2), chosen="day").columns.total == 2
    assert draw((HOUR, 2), chosen="odd").columns.total == 2
    assert draw((200 * DAY, 2), (3 * DAY, 3)).choices == [
        ("week", "7 d", True), ("first", "Since the first", False)
    ]  # fmt: skip


def test_old_counts_of_a_day_are_in_its_first_slice():
    group = FailureGroup(first_seen=NOON - 20 * DAY)
    midnight = (NOON - 20 * DAY).replace(hour=0)
    chart = draw_group(group, [(midnight, 7)], now=NOON)
    assert [(column.x, column.count) for column in chart.columns.columns] == [(0, 7)]
    assert chart.columns.step == "24 h"
