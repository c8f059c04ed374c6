from datetime import timedelta
from itertools import pairwise

import pytest
from django.http import QueryDict

from messages_app.core.charts.histogram import HEIGHT, Histogram, Picture, cut
from tests.support.factories import NOON


def picture(counts: dict[tuple[int, str], int], span: timedelta = timedelta(hours=1)) -> Picture:
    histogram = Histogram(
        start=NOON,
        stop=NOON + span,
        slices=cut(NOON, NOON + span),
        counts=counts,
        sampled=1,
        is_usual=False,
    )
    return Picture(
        histogram,
        column="receive_timestamp",
        from_ground=lambda state: (state == "OK", state != "FAILED", state),
        others=[("state", "FAILED,OK"), ("ordering", "-msg_id")],
    )


class TestPicture:
    def test_stacks_the_states_from_the_ground_up(self):
        drawn = picture({(0, "OK"): 100, (0, "FAILED"): 1, (0, "odd"): 5, (0, "PARTLY_FAILED"): 4})
        assert drawn.states == ["FAILED", "PARTLY_FAILED", "odd", "OK"]
        bars = drawn.columns[0].bars
        assert bars[0].y + bars[0].height == pytest.approx(HEIGHT)
        for lower, upper in pairwise(bars):
            assert upper.y + upper.height == pytest.approx(lower.y)
        assert bars[-1].y >= 0

    def test_shows_a_single_one_among_thousands(self):
        assert picture({(0, "FAILED"): 1, (1, "OK"): 100_000}).columns[0].bars[0].height >= 3

    def test_leads_from_each_bar_to_its_list(self):
        query = picture({(3, "OK"): 1}).columns[3].query
        assert QueryDict(query.removeprefix("?")).dict() == {
            "state": "FAILED,OK",
            "ordering": "-msg_id",
            "receive_timestamp_from": "2026-11-01T12:03:00Z",
            "receive_timestamp_to": "2026-11-01T12:04:00Z",
        }

    def test_zooms_out_to_four_times_the_range(self):
        params = QueryDict(picture({}).wider.removeprefix("?"))
        assert params["receive_timestamp_from"] == "2026-11-01T10:30:00Z"
        assert params["receive_timestamp_to"] == "2026-11-01T14:30:00Z"
        assert picture({}, timedelta(days=5000)).wider == ""

    def test_shows_how_many_of_each_state_there_are(self):
        drawn = picture({(0, "OK"): 5, (1, "OK"): 6, (1, "FAILED"): 2})
        assert drawn.totals == [("FAILED", 2), ("OK", 11)]
        assert (drawn.total, drawn.highest) == (13, 8)
        assert [column.row for column in drawn.filled] == [[0, 5], [2, 6]]

    @pytest.mark.parametrize(
        ("span", "first"),
        [
            (timedelta(seconds=30), "12:00:00"),
            (timedelta(hours=1), "12:00"),
            (timedelta(days=7), "11-01 12:00"),
            (timedelta(days=50), "2026-11-01"),
        ],
    )
    def test_marks_times_with_their_precision(self, span, first):
        assert picture({}, span).marks[0] == first
