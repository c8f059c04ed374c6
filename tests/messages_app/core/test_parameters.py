import pytest

from messages_app.core.parameters import MAX_ID, read_id


class TestReadId:
    @pytest.mark.parametrize(("text", "number"), [("0", 0), ("17", 17), ("0017", 17), (str(MAX_ID), MAX_ID)])
    def test_reads_plain_digits(self, text, number):
        assert read_id(text) == number

    @pytest.mark.parametrize("text", ["", "-1", "1_0", "1.0", " 1", "x", "\u0661", str(MAX_ID + 1), "9" * 99])
    def test_accepts_nothing_else(self, text):
        assert read_id(text) is None
