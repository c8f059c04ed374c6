from datetime import UTC, datetime

import pytest

from messages_app.demo.rows import Rows, moment_of


class TestMomentOf:
    def test_is_a_time_of_utc(self):
        assert moment_of(0.5) == datetime(1970, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)
        assert moment_of(None) is None

    @pytest.mark.parametrize(
        ("at", "nearest"),
        [
            (float("inf"), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
            (3.2e11, datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
            (float("-inf"), datetime(1, 1, 1, tzinfo=UTC)),
        ],
    )
    def test_is_the_nearest_time_that_python_has(self, at: float, nearest: datetime):
        assert moment_of(at) == nearest


class TestRows:
    def test_count_ids_of_all_tables_together(self):
        rows = Rows(first_id=7)
        assert [rows.new_id(), rows.new_id(), rows.next_id] == [7, 8, 9]

    def test_are_taken_once(self):
        rows = Rows(first_id=1)
        rows.add("funnel", 1, 2, "A1")
        rows.add("funnel", 3, 2, None)
        assert rows.take_rows() == {"funnel": [(1, 2, "A1"), (3, 2, None)]}
        assert rows.take_rows() == {}
