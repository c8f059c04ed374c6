import pytest

from messages_app.templatetags import jobs


class TestSpan:
    @pytest.mark.parametrize(
        ("seconds", "text"), [(0.2, "under a second"), (90, "about 90 s"), (9000, "about 2 h 30 min")]
    )
    def test_is_approximate(self, seconds, text):
        assert jobs.write_span(seconds) == text
