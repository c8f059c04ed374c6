from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from django.http import QueryDict

from messages_app.core.charts.histogram import HEIGHT, Histogram, Picture
from messages_app.core.charts.slices import cut_into_slices
from tests.support.factories import NOON


def picture(
    counts: dict[tuple[int, str], int], span: timedelta = timedelta(hours=1), *, start: datetime = NOON
) -> Picture:
    histogram = Histogram(
        start=start,
        stop=start + span,
        slices=cut_into_slices(start, start + span),
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

    def test_zooms_out_up_to_thirty_years_and_not_beyond_now(self):
        assert picture({}, timedelta(days=365 * 30 / 4)).wider != ""
        assert picture({}, timedelta(days=365 * 30 / 4, seconds=1)).wider == ""
        assert picture({}).wider == (
            "?state=FAILED,OK&ordering=-msg_id&receive_timestamp_from=2026-11-01T10:30:00Z"
            "&receive_timestamp_to=2026-11-01T14:30:00Z"
        )

    def test_ends_the_wider_range_with_a_range_that_ends_in_the_future(self):
        params = QueryDict(picture({}, start=NOON.replace(year=2100)).wider.removeprefix("?"))
        assert params["receive_timestamp_from"] == "2100-11-01T09:00:00Z"
        assert params["receive_timestamp_to"] == "2100-11-01T13:00:00Z"

    def test_has_the_scale_of_its_slices(self):
        scale = picture({(0, "OK"): 5, (1, "OK"): 6}).scale
        assert (scale.start, scale.stop, scale.highest) == (NOON, NOON + timedelta(hours=1), 6)
        assert [tick.text for tick in scale.ticks][:2] == ["12:00", "12:10"]

    def test_has_a_gap_between_its_bars(self):
        (one,), (other,) = (column.bars for column in picture({(0, "OK"): 4, (1, "OK"): 2}).filled)
        assert (one.x, one.width, one.height) == (0.75, 8.5, 100)
        assert (other.x, other.width, other.height, other.y) == (10.75, 8.5, 51.5, 48.5)
