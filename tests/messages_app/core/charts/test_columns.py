from datetime import timedelta

from messages_app.core.charts.columns import Event, draw_columns
from tests.support.factories import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def test_is_empty_without_counts():
    chart = draw_columns([], start=NOON, stop=NOON + HOUR)
    assert (chart.columns, chart.total, chart.highest) == ([], 0, 0)


def test_counts_of_a_slice_are_one_column_of_their_height():
    counts = [(NOON + number * MINUTE, 1) for number in range(30)]
    chart = draw_columns([*counts, (NOON + 10 * MINUTE, 19)], start=NOON, stop=NOON + HOUR)
    assert (chart.width, chart.total, chart.highest) == (600, 49, 20)
    assert [(one.x, one.count, one.y, one.height) for one in chart.columns if one.count > 1] == [
        (100, 20, 0, 60)
    ]
    assert {one.height for one in chart.columns if one.count == 1} == {3}


def test_counts_before_the_range_are_in_its_first_slice_and_later_ones_left_out():
    counts = [(NOON - HOUR, 3), (NOON + 2 * HOUR, 5)]
    chart = draw_columns(counts, start=NOON, stop=NOON + HOUR)
    assert [(one.x, one.count) for one in chart.columns] == [(0, 3)]


def test_few_counts_have_few_slices_and_a_narrow_chart():
    few = draw_columns([(NOON, 1), (NOON + HOUR, 1)], start=NOON, stop=NOON + 2 * HOUR)
    assert (few.slices.count, few.step, few.scale.pixels) == (8, "15 min", 144)
    some = draw_columns([(NOON + n * MINUTE, 1) for n in range(3)], start=NOON, stop=NOON + HOUR)
    assert (some.slices.count, some.scale.pixels) == (12, 216)
    many = draw_columns([(NOON + n * MINUTE, 1) for n in range(15)], start=NOON, stop=NOON + HOUR)
    assert (many.slices.count, many.scale.pixels) == (60, 0)


def test_slices_have_a_minimum_length():
    chart = draw_columns([(NOON, 1)], start=NOON, stop=NOON + 10 * MINUTE, least=HOUR)
    assert (chart.slices.count, chart.step) == (1, "60 min")


def test_events_of_the_range_are_marked():
    events = [Event(at=NOON + 30 * MINUTE, text="Release"), Event(at=NOON - MINUTE, text="before")]
    chart = draw_columns([(NOON, 1)], start=NOON, stop=NOON + HOUR, events=events)
    assert [(mark.event.text, mark.x) for mark in chart.marks] == [("Release", 30.0)]


def test_says_its_numbers():
    chart = draw_columns([(NOON, 5), (NOON + HOUR, 2)], start=NOON, stop=NOON + 2 * HOUR)
    assert chart.label == (
        "7 failures from 2026-11-01 12:00:00 UTC to 2026-11-01 14:00:00 UTC, at most 5 in 15 min; "
        "the table below has the numbers"
    )
