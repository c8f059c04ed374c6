from datetime import timedelta

import pytest
from django.utils import timezone

from messages_app.templatetags import hub


class TestLookup:
    def test_returns_the_value_of_a_key(self):
        assert hub.lookup({"open": 1, "closed": 2}, "closed") == 2

    def test_returns_nothing_for_an_unknown_key(self):
        assert hub.lookup({"open": 1}, "closed") is None


class TestDuration:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0.08, "80 ms"),
            (3.21, "3.2 s"),
            (600, "10 min"),
            (9000, "2 h 30 min"),
            (600 * 86400 + 21 * 3600 + 24 * 60, "600 d 21 h"),
        ],
    )
    def test_uses_the_unit_that_fits(self, seconds, text):
        start = timezone.now()
        assert hub.duration(start, start + timedelta(seconds=seconds)) == text

    def test_is_a_dash_if_an_end_is_missing(self):
        assert hub.duration(timezone.now(), None) == "–"


class TestLasting:
    @pytest.mark.parametrize(("seconds", "text"), [(3.9, "3 s"), (600, "10 min"), (90_000 * 2, "2 d 2 h")])
    def test_uses_whole_units(self, seconds, text):
        start = timezone.now()
        assert hub.lasting(start, start + timedelta(seconds=seconds)) == text


class TestLinking:
    def test_makes_links_of_whole_ids_only(self):
        html = hub.linking("Message 12 waits for 112, 12:00 and 1-12 <b>.", (12,))
        assert html == 'Message <a href="/messages/12/">12</a> waits for 112, 12:00 and 1-12 &lt;b&gt;.'

    def test_makes_one_link_for_an_id_that_occurs_twice(self):
        html = hub.linking("because of 12. Restart 12: then it ends.", (12,))
        assert html == 'because of <a href="/messages/12/">12</a>. Restart 12: then it ends.'

    def test_does_not_change_a_text_without_ids(self):
        assert hub.linking("<b>12</b>", ()) == "&lt;b&gt;12&lt;/b&gt;"


class TestFenced:
    def test_shows_where_counting_stopped(self):
        assert hub.number_up_to(12, 10_000) == "12"
        assert hub.number_up_to(10_001, 10_000) == "> 10\u202f000"


class TestLasts:
    def test_omits_zero(self):
        assert [hub.lasts(seconds) for seconds in (90, 7200, 9000, 172_800, 176_400)] == [
            "90 s",
            "2 h",
            "2 h 30 min",
            "2 d",
            "2 d 1 h",
        ]
