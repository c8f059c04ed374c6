from datetime import timedelta
from itertools import pairwise

import pytest

from messages_app.core.charts.axis import MAX_BREAKS, axis_of
from tests.support.factories import NOON


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
        assert (axis.place_of(NOON), axis.place_of(after(seconds=3))) == (0, 100)

    def test_breaks_a_gap_that_outdoes_all_others(self):
        day = after(days=1)
        assert breaks_of(NOON, after(milliseconds=300), day, day + timedelta(hours=3)) == [
            (after(milliseconds=300), day),
            (day, day + timedelta(hours=3)),
        ]

    def test_draws_600_days_as_a_narrow_cut_and_390_ms_to_scale(self):
        work_ends = after(milliseconds=390)
        resumed = work_ends + timedelta(days=600, hours=21)
        axis = axis_of([NOON, work_ends, resumed, resumed + timedelta(milliseconds=130)])
        assert [piece.lasts for piece in axis.breaks] == [timedelta(days=600, hours=21)]
        assert axis.breaks[0].width == 12
        first, second = axis.stretches
        assert axis.place_of(work_ends) - axis.place_of(NOON) == pytest.approx(
            3 * (axis.place_of(axis.end) - axis.place_of(resumed))
        )
        assert (first.lasts, second.lasts) == (timedelta(milliseconds=390), timedelta(milliseconds=130))

    def test_draws_50_ms_as_all_there_is_next_to_a_cut_of_four_days(self):
        done = after(milliseconds=50)
        axis = axis_of([NOON, done, done + timedelta(days=4, minutes=15)])
        assert [piece.lasts for piece in axis.breaks] == [timedelta(days=4, minutes=15)]
        assert axis.place_of(axis.end) > axis.breaks[0].left + axis.breaks[0].width

    def test_draws_three_seconds_57_times_as_wide_as_53_ms(self):
        axis = axis_of([NOON, after(milliseconds=53), after(milliseconds=3053)])
        assert axis.breaks == []
        work = axis.place_of(after(milliseconds=53)) - axis.place_of(NOON)
        wait = axis.place_of(axis.end) - axis.place_of(after(milliseconds=53))
        assert wait / work == pytest.approx(3000 / 53)

    @pytest.mark.parametrize(("seconds", "cuts"), [(9.9, 0), (10, 1)])
    def test_breaks_no_gap_of_less_than_ten_seconds(self, seconds, cuts):
        assert len(breaks_of(NOON, after(milliseconds=1), after(seconds=seconds, milliseconds=1))) == cuts

    def test_breaks_each_of_several_equal_waits(self):
        tries = [(after(seconds=60 * n), after(seconds=60 * n, milliseconds=300)) for n in range(4)]
        found = breaks_of(*(moment for one in tries for moment in one))
        assert found == [(one[1], following[0]) for one, following in pairwise(tries)]

    def test_breaks_nothing_if_there_are_too_many_waits(self):
        moments = [after(seconds=60 * n) for n in range(MAX_BREAKS + 3)]
        assert breaks_of(*moments, after(milliseconds=1)) == []

    def test_breaks_nothing_while_something_is_done(self):
        moments = [NOON, after(milliseconds=10), after(hours=1), after(hours=9)]
        busy = [(NOON, after(hours=1))]
        assert [piece.start for piece in axis_of(moments, busy=busy).breaks] == [after(hours=1)]

    @pytest.mark.parametrize(
        ("since", "until", "cuts"), [(0, 60, 1), (0.001, 60, 2), (0, 59.999, 2), (-1, 61, 1)]
    )
    def test_cuts_a_gap_that_work_covers_only_in_part(self, since, until, cuts):
        moments = [NOON, after(minutes=60), after(minutes=60, milliseconds=10), after(hours=9)]
        busy = [(after(minutes=since), after(minutes=until))]
        assert len(axis_of(moments, busy=busy).breaks) == cuts

    @pytest.mark.parametrize("rest", [24.9, 25, 25.1])
    def test_breaks_from_four_times_the_rest_on(self, rest):
        moments = [NOON, after(seconds=rest / 2), after(seconds=rest), after(seconds=rest + 100)]
        assert len(breaks_of(*moments)) == (1 if rest <= 25 else 0)

    def test_puts_the_pieces_side_by_side(self):
        moments = [after(seconds=600 * n, milliseconds=100 * k) for n in range(5) for k in range(3)]
        pieces = axis_of(moments).pieces
        assert len(pieces) == 9
        assert pieces[0].left == 0
        for one, following in pairwise(pieces):
            assert one.left + one.width == pytest.approx(following.left)
            assert one.end == following.start
        assert pieces[-1].left + pieces[-1].width == pytest.approx(100)
        assert {piece.width for piece in pieces if piece.is_break} == {12}
        assert [piece.width for piece in pieces if not piece.is_break] == [pytest.approx(52 / 5)] * 5

    def test_has_a_place_for_a_single_moment(self):
        assert axis_of([NOON, NOON]).place_of(NOON) == 50


class TestPlace:
    def test_never_leaves_the_axis_nor_the_order(self):
        moments = [NOON, after(milliseconds=5), after(hours=1), after(hours=1, milliseconds=9), after(days=9)]
        axis = axis_of(moments)
        asked = sorted(
            [*moments, after(minutes=7), after(hours=30), after(days=99), NOON - timedelta(days=1)]
        )
        places = [axis.place_of(moment) for moment in asked]
        assert places == sorted(places)
        assert places[0] >= 0
        assert places[-1] <= 100

    def test_has_one_scale_in_all_stretches(self):
        lengths = [timedelta(milliseconds=ms) for ms in (10, 70, 300)]
        starts = [after(days=n) for n in range(3)]
        axis = axis_of(
            [m for start, length in zip(starts, lengths, strict=True) for m in (start, start + length)]
        )
        widths = [
            axis.place_of(start + length) - axis.place_of(start)
            for start, length in zip(starts, lengths, strict=True)
        ]
        assert len(axis.breaks) == 2
        assert [width / widths[0] for width in widths] == [
            pytest.approx(1),
            pytest.approx(7),
            pytest.approx(30),
        ]


class TestTicks:
    def test_are_at_one_round_distance(self):
        ticks = axis_of([NOON, after(seconds=8)]).make_ticks()
        assert [tick.after for tick in ticks] == [timedelta(seconds=n) for n in range(9)]
        assert [tick.place for tick in ticks] == [pytest.approx(12.5 * n) for n in range(9)]

    @pytest.mark.parametrize(("lasts", "step"), [(350, 200), (700, 500), (1_750, 1_000)])
    def test_leave_out_the_margins_at_a_cut(self, lasts, step):
        resumed, length = after(days=3), timedelta(milliseconds=lasts)
        ticks = axis_of([NOON, NOON + length, resumed, resumed + length]).make_ticks()
        assert ticks[1].after - ticks[0].after == timedelta(milliseconds=step)

    def test_begin_again_after_a_cut(self):
        resumed = after(days=4)
        ticks = axis_of(
            [NOON, after(milliseconds=400), resumed, resumed + timedelta(milliseconds=200)]
        ).make_ticks()
        assert [tick.after // timedelta(milliseconds=1) for tick in ticks] == [
            0,
            100,
            200,
            300,
            400,
            0,
            100,
            200,
        ]
        gaps = [later.place - earlier.place for earlier, later in pairwise(ticks) if later.after]
        assert gaps == [pytest.approx(gaps[0])] * 6

    def test_are_empty_if_no_time_passes(self):
        assert axis_of([NOON]).make_ticks() == []

    @pytest.mark.parametrize("lasts", [timedelta(microseconds=3), timedelta(days=9000)])
    def test_are_few_however_long_it_lasts(self, lasts):
        assert len(axis_of([NOON, NOON + lasts]).make_ticks()) <= 10
