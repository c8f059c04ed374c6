from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.core.charts.slices import ORIGIN, Slices, cut_into_slices

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


class TestCut:
    @pytest.mark.parametrize(
        ("span", "step"),
        [
            (timedelta(seconds=1), timedelta(seconds=1)),
            (timedelta(hours=1), timedelta(minutes=1)),
            (timedelta(days=1), timedelta(minutes=30)),
            (timedelta(days=7), timedelta(hours=3)),
            (timedelta(days=60), timedelta(days=1)),
            (timedelta(days=3650), timedelta(days=84)),
        ],
    )
    def test_uses_the_smallest_round_step_with_at_most_sixty_slices(self, span, step):
        assert cut_into_slices(NOON, NOON + span).step == step

    def test_begins_at_a_round_time(self):
        slices = cut_into_slices(NOON + timedelta(minutes=7), NOON + timedelta(hours=24))
        assert slices.start == NOON
        assert slices.stop == NOON + timedelta(hours=24)

    @given(
        st.integers(0, 3_000_000_000).map(lambda second: NOON - timedelta(seconds=second)),
        st.timedeltas(timedelta(milliseconds=1), timedelta(days=40_000)),
    )
    def test_holds_the_range_in_few_slices(self, start, span):
        slices = cut_into_slices(start, start + span)
        assert slices.start <= start < slices.start + slices.step
        assert slices.stop - slices.step < start + span <= slices.stop
        assert 1 <= slices.count <= 61
        assert (slices.start - ORIGIN) % slices.step == timedelta(0)


class TestSamples:
    SLICES = Slices(start=NOON, step=timedelta(hours=1), count=3)

    def test_are_the_slices_themselves_for_all_of_the_time(self):
        assert [(number, *self.SLICES.bounds_of(number)) for number in range(3)] == list(
            self.SLICES.iterate_samples(1, 1)
        )

    def test_lie_apart_within_their_slices_and_have_the_share(self):
        windows = list(self.SLICES.iterate_samples(0.25, 4))
        assert [number for number, _, _ in windows] == [0] * 4 + [1] * 4 + [2] * 4
        for number, start, stop in windows:
            first, last = self.SLICES.bounds_of(number)
            assert first <= start < stop <= last
            assert stop - start == timedelta(minutes=3, seconds=45)
        assert all(one[2] <= two[1] for one, two in pairwise(windows))
