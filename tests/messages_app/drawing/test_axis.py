from datetime import timedelta
from itertools import pairwise

import pytest

from messages_app.drawing.axis import MOST_BREAKS, axis_of
from tests.factories import NOON


def after(**time: float):
    return NOON + timedelta(**time)


def breaks_of(*moments):
    return [(piece.start, piece.end) for piece in axis_of(moments).breaks]


class TestAxisOf:
    def test_needs_a_moment(self):
        with pytest.raises(ValueError, match="needs a moment"):
            axis_of([])

    def test_is_one_stretch_without_long_gaps(self):
        axis = axis_of([NOON, after(seconds=1), after(seconds=2), after(seconds=3)])
        assert [(piece.start, piece.end, piece.is_break) for piece in axis.pieces] == [
            (NOON, after(seconds=3), False)
        ]
        assert (axis.place(NOON), axis.place(after(seconds=3))) == (0, 100)

    def test_breaks_a_gap_that_outdoes_all_others(self):
        day = after(days=1)
        assert breaks_of(NOON, after(milliseconds=300), day, day + timedelta(hours=3)) == [
            (after(milliseconds=300), day),
            (day, day + timedelta(hours=3)),
        ]

    def test_leaves_both_300_ms_a_day_ago_and_three_days_readable(self):
        began, ended = after(days=1), after(days=4)
        axis = axis_of([NOON, after(milliseconds=300), began, ended])
        assert axis.place(after(milliseconds=300)) - axis.place(NOON) > 5
        assert axis.place(ended) - axis.place(began) > 5

    def test_breaks_each_of_several_equal_waits(self):
        tries = [(after(seconds=60 * n), after(seconds=60 * n, milliseconds=300)) for n in range(4)]
        found = breaks_of(*(moment for one in tries for moment in one))
        assert found == [(one[1], following[0]) for one, following in pairwise(tries)]

    def test_breaks_nothing_where_there_are_too_many_waits(self):
        moments = [after(seconds=60 * n) for n in range(MOST_BREAKS + 3)]
        assert breaks_of(*moments, after(milliseconds=1)) == []

    def test_breaks_nothing_while_something_is_done(self):
        moments = [NOON, after(milliseconds=10), after(hours=1), after(hours=9)]
        busy = [(NOON, after(hours=1))]
        assert [piece.start for piece in axis_of(moments, busy=busy).breaks] == [after(hours=1)]

    @pytest.mark.parametrize("rest", [24.9, 25.1])
    def test_breaks_from_four_times_the_rest_on(self, rest):
        moments = [NOON, after(seconds=rest / 2), after(seconds=rest), after(seconds=rest + 100)]
        assert len(breaks_of(*moments)) == (1 if rest < 25 else 0)

    def test_puts_the_pieces_side_by_side(self):
        moments = [after(seconds=600 * n, milliseconds=100 * k) for n in range(5) for k in range(3)]
        pieces = axis_of(moments).pieces
        assert len(pieces) == 9
        assert pieces[0].left == 0
        for one, following in pairwise(pieces):
            assert one.left + one.width == pytest.approx(following.left)
            assert one.end == following.start
        assert pieces[-1].left + pieces[-1].width == pytest.approx(100)
        assert min(piece.width for piece in pieces) >= 3

    def test_has_a_place_for_a_single_moment(self):
        assert axis_of([NOON, NOON]).place(NOON) == 50


class TestPlace:
    def test_never_leaves_the_axis_nor_the_order(self):
        moments = [NOON, after(milliseconds=5), after(hours=1), after(hours=1, milliseconds=9), after(days=9)]
        axis = axis_of(moments)
        asked = sorted(
            [*moments, after(minutes=7), after(hours=30), after(days=99), NOON - timedelta(days=1)]
        )
        places = [axis.place(moment) for moment in asked]
        assert places == sorted(places)
        assert places[0] >= 0
        assert places[-1] <= 100
