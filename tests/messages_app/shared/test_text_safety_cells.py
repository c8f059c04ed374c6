from datetime import UTC, datetime

import pytest

from messages_app.shared.text_safety import as_safe_cell


class TestCell:
    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    def test_holds_no_formula(self, text):
        assert as_safe_cell(text) == f"'{text}"

    @pytest.mark.parametrize("value", ["1-1", "", None, -5, True, "'=1"])
    def test_does_not_change_anything_else(self, value):
        assert as_safe_cell(value) == value

    def test_writes_a_time_with_its_offset(self):
        assert as_safe_cell(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05+00:00"
