from datetime import timedelta

from messages_app.messages.failures.chart import COLUMN, DAYS, HEIGHT, SLICE, draw_chart
from tests.support.factories import NOON


class TestDrawFailures:
    def test_is_empty_without_failures(self):
        chart = draw_chart([], now=NOON)
        assert (chart.columns, chart.total, chart.highest) == ([], 0, 0)

    def test_sums_up_minutes_and_stays_within_the_chart(self):
        minute = timedelta(minutes=1)
        minutes = [(NOON - DAYS - minute, 1), (NOON - minute, 5), (NOON - 2 * minute, 5), (NOON, 10)]
        first, last = draw_chart(minutes, now=NOON).columns
        assert (first.x, first.count) == (0, 1)
        assert (last.x, last.count) == (COLUMN * (DAYS // SLICE - 1), 20)
        assert (last.y, last.height) == (0, HEIGHT)
        assert first.height == 3
