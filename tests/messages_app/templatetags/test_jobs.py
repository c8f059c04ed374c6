import pytest

from messages_app.templatetags import jobs


class TestPace:
    @pytest.mark.parametrize(
        ("rate", "text"), [(0.052, "0.052"), (0.25, "0.25"), (8.24, "8.2"), (8, "8"), (1240.4, "1\u202f240")]
    )
    def test_has_no_more_digits_than_it_deserves(self, rate, text):
        assert jobs.pace(rate) == text


class TestSpan:
    @pytest.mark.parametrize(
        ("seconds", "text"), [(0.2, "under a second"), (90, "about 90 s"), (9000, "about 2 h 30 min")]
    )
    def test_is_only_about_right(self, seconds, text):
        assert jobs.span(seconds) == text
