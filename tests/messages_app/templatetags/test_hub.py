from datetime import timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from messages_app.templatetags import hub


class TestLookup:
    def test_returns_the_value_of_a_key(self):
        assert hub.look_up_key({"open": 1, "closed": 2}, "closed") == 2

    def test_returns_nothing_for_an_unknown_key(self):
        assert hub.look_up_key({"open": 1}, "closed") is None


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
        assert hub.write_duration(start, start + timedelta(seconds=seconds)) == text

    def test_is_a_dash_if_an_end_is_missing(self):
        assert hub.write_duration(timezone.now(), None) == "–"


class TestLasting:
    @pytest.mark.parametrize(("seconds", "text"), [(3.9, "3 s"), (600, "10 min"), (90_000 * 2, "2 d 2 h")])
    def test_uses_whole_units(self, seconds, text):
        start = timezone.now()
        assert hub.write_period(start, start + timedelta(seconds=seconds)) == text


class TestLinking:
    def test_makes_links_of_whole_ids_only(self):
        html = hub.link_messages("Message 12 waits for 112, 12:00 and 1-12 <b>.", (12,))
        assert html == 'Message <a href="/messages/12/">12</a> waits for 112, 12:00 and 1-12 &lt;b&gt;.'

    def test_makes_one_link_for_an_id_that_occurs_twice(self):
        html = hub.link_messages("because of 12. Restart 12: then it ends.", (12,))
        assert html == 'because of <a href="/messages/12/">12</a>. Restart 12: then it ends.'

    def test_does_not_change_a_text_without_ids(self):
        assert hub.link_messages("<b>12</b>", ()) == "&lt;b&gt;12&lt;/b&gt;"


class TestFenced:
    def test_shows_where_counting_stopped(self):
        assert hub.number_up_to(12, 10_000) == "12"
        assert hub.number_up_to(10_001, 10_000) == "> 10\u202f000"

    def test_is_the_number_at_the_fence_and_more_beyond_it(self):
        assert [hub.number_up_to(count, 20) for count in (0, 19, 20, 21)] == ["0", "19", "20", "> 20"]


class TestLasts:
    def test_omits_zero(self):
        assert [hub.write_whole_seconds(seconds) for seconds in (90, 7200, 9000, 172_800, 176_400)] == [
            "90 s",
            "2 h",
            "2 h 30 min",
            "2 d",
            "2 d 1 h",
        ]


class TestOrDash:
    def test_is_a_dash_only_for_a_missing_value(self):
        assert [hub.or_dash(value) for value in (None, "", 0, False, "0", "a")] == [
            "–",
            "–",
            0,
            False,
            "0",
            "a",
        ]


class TestSeconds:
    def test_are_written_as_measured(self):
        assert [hub.write_seconds(count) for count in (None, 0.08, 3.21, 600)] == [
            "–",
            "80 ms",
            "3.2 s",
            "10 min",
        ]


class TestMeaning:
    def test_is_that_of_the_state(self):
        assert hub.tell_meaning("FAILED") == "failed, will not be retried"
        assert hub.tell_meaning("CANCEL") == "cancelled, will not be retried"
        assert hub.tell_meaning("UNHEARD_OF") == "a state unknown to the console"


class TestWords:
    def test_replace_underscores(self):
        assert [hub.as_words(name) for name in ("end_other_sessions", "cancel")] == [
            "End other sessions",
            "Cancel",
        ]

    def test_are_split_after_the_first_line(self):
        assert hub.first_line_and_rest("one\n\ntwo\nthree\n") == ("one", "two\nthree")
        assert hub.first_line_and_rest("one") == ("one", "")


class TestPageQuery:
    def test_keeps_all_parameters_and_replaces_the_cursor(self):
        request = RequestFactory().get("/messages/?state=OK&state=NEW&cursor=old")
        assert hub.page_query("a new", request) == "?state=OK&state=NEW&cursor=a+new"
        assert hub.page_query(None, request) is None
        assert hub.page_query("", request) is None


class TestHubSign:
    def test_names_the_hub_in_its_colour(self, settings):
        settings.HUBCONSOLE_HUB_NAME, settings.HUBCONSOLE_HUB_COLOUR = "<Test>", "red"
        assert hub.hub_name() == "<Test>"
        assert hub.hub_sign() == ('<section class="c-sign is-red" aria-label="Hub">&lt;Test&gt;</section>')

    def test_is_nothing_without_a_name(self, settings):
        settings.HUBCONSOLE_HUB_NAME = ""
        assert (hub.hub_name(), hub.hub_sign()) == ("", "")


class TestLinkSystem:
    @pytest.mark.parametrize(
        ("address", "link"),
        [
            ("spring-ws:http://CRM.example:8080/ws", '<a href="/systems/crm.example/">crm.example</a>'),
            (
                "jms:queue:DATALAKE.EVENTS",
                '<a href="/systems/jms:queue:datalake.events/">jms:queue:datalake.events</a>',
            ),
            (
                "file:///out/mail",
                '<a href="/systems/file:~2F~2F~2Fout~2Fmail/">file:///out/mail</a>',
            ),
            ("servlet:///in/status", "–"),
            ("confirmation", "–"),
            ("", "–"),
        ],
    )
    def test_leads_to_the_page_of_the_system_of_an_address(self, address, link):
        assert str(hub.link_system(hub.name_system_of(address))) == link


class TestLinkService:
    def test_escapes_a_name_in_its_address_and_in_its_text(self):
        link = '<a href="/services/a~2Fb%3Cc/">a/b&lt;c</a>'
        assert str(hub.link_service("a/b<c")) == link
