import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tasks.ranges import cover_ids, split_ids, split_times

moments = st.integers(946_684_800, 4_102_444_800).map(lambda s: dt.datetime.fromtimestamp(s, dt.UTC))
parts_counts = st.integers(1, 40)


class TestSplitTimes:
    @given(moments, moments, parts_counts)
    def test_covers_the_span_without_gap_or_overlap(self, first, end, parts):
        ranges = split_times(first=first, end=end, parts=parts)

        if first >= end:
            assert ranges == []
            return
        assert (ranges[0][0], ranges[-1][1]) == (first, end)
        assert all(one[1] == two[0] for one, two in pairwise(ranges))
        assert all(start < stop for start, stop in ranges)
        assert len(ranges) <= parts

    def test_rejects_zero_parts(self):
        with pytest.raises(ValueError, match="at least 1, not 0"):
            split_times(first=dt.datetime.now(dt.UTC), end=dt.datetime.now(dt.UTC), parts=0)


class TestSplitIds:
    @given(st.integers(-(2**40), 2**40), st.integers(0, 2**40), parts_counts)
    def test_covers_the_span_without_gap_or_overlap(self, first, width, parts):
        ranges = split_ids(first=first, end=first + width, parts=parts)

        if width == 0:
            assert ranges == []
            return
        assert (ranges[0][0], ranges[-1][1]) == (first, first + width)
        assert all(one[1] == two[0] for one, two in pairwise(ranges))
        assert len(ranges) <= parts

    def test_rejects_zero_parts(self):
        with pytest.raises(ValueError, match="at least 1, not 0"):
            split_ids(first=1, end=2, parts=0)


class TestCoverIds:
    @given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1), parts_counts)
    def test_has_each_id_of_the_type_once_and_no_other_number(self, first, last, parts):
        ranges = cover_ids(first=first, last=last, parts=parts)

        assert (ranges[0][0], ranges[-1][1]) == (-(2**63), 2**63 - 1)
        assert all(one[1] + 1 == two[0] for one, two in pairwise(ranges))
        assert all(start <= end for start, end in ranges)
        assert len(ranges) <= parts

    def test_splits_the_ids_between_its_bounds_evenly(self):
        assert cover_ids(first=100, last=399, parts=3) == [
            (-9223372036854775808, 199),
            (200, 299),
            (300, 9223372036854775807),
        ]
