from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from messages_app.core import markup
from messages_app.document_history.states import Verdict
from messages_app.shared.job_states import JobState, Outcome
from messages_app.shared.message_states import ExternalCallState, MessageState

DRAWN = [*MessageState, *ExternalCallState, *JobState, *Outcome, *Verdict]


def static_file(name: str) -> str:
    return Path(settings.BASE_DIR, "static", name).read_text(encoding="utf-8")


class TestFormatHtml:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("<b> & 'c' \"d\"", "&lt;b&gt; &amp; &#x27;c&#x27; &quot;d&quot;"),
            (SafeString("<b>"), "<b>"),
            (7, "7"),
            (None, "None"),
            (StrEnum("Named", {"MARKUP": "<b>"}).MARKUP, "&lt;b&gt;"),
            (Path("<b>"), "&lt;b&gt;"),
            (reverse_lazy("message-list"), "/messages/"),
        ],
    )
    def test_escapes_all_values_except_markup(self, value, text):
        html = markup.format_html("<p title='{}'>{}</p>", value, value)
        assert html == f"<p title='{text}'>{text}</p>" == format_html("<p title='{}'>{}</p>", value, value)
        assert isinstance(html, SafeString)


class TestState:
    @pytest.mark.parametrize("code", DRAWN)
    def test_has_an_icon_and_a_colour_for_each_that_exists(self, code):
        assert f'id="state-{code}"' in static_file("icons/icons.svg")
        assert f'[data-state="{code}"]' in static_file("css/tokens.css")
        assert f"#state-{code}" in markup.show_state(code)

    def test_shows_an_unknown_code_unchanged(self):
        html = markup.show_state("<held>")
        assert "&lt;held&gt;" in html
        assert "#state-unknown" in html


class TestIcon:
    def test_exists_for_each_name_in_templates(self):
        sheet = static_file("icons/icons.svg")
        text = "".join(path.read_text() for path in Path(settings.BASE_DIR, "templates").rglob("*.html"))
        names = {part.split('"')[0] for part in text.split('{% icon "')[1:]}
        assert not {name for name in names if f'id="{name}"' not in sheet}


class TestWhen:
    def test_has_24_hours_seconds_and_the_zone(self):
        html = markup.show_time(datetime(2026, 11, 21, 15, 4, 5, tzinfo=UTC))
        assert "2026-11-21 15:04:05 UTC</time>" in html
        assert 'datetime="2026-11-21T15:04:05Z"' in html

    def test_is_in_the_zone_of_the_settings(self, settings):
        settings.TIME_ZONE = "Europe/Prague"
        html = markup.show_age_in_row(datetime(2026, 7, 21, 15, 4, 5, 6, tzinfo=UTC))
        assert ">2026-07-21 17:04:05 CEST</span>" in html
        assert 'datetime="2026-07-21T15:04:05.000006Z"' in html

    def test_is_a_dash_for_none(self):
        assert markup.show_time(None) == "–"

    def test_is_a_clock_for_the_next_minutes(self):
        html = markup.show_time(datetime(2026, 11, 21, 15, 4, 5, tzinfo=UTC), "clock")
        assert ">15:04 UTC</time>" in html
        assert 'title="2026-11-21 15:04:05 UTC"' in html

    def test_shows_an_age_of_less_than_a_second_as_a_duration(self):
        assert ">0 s</time>" in markup.show_time(timezone.now(), "age")
        assert ">41 min</time>" in markup.show_time(timezone.now() - timedelta(minutes=41, seconds=5), "age")


class TestAgo:
    @pytest.mark.parametrize(
        ("since", "text"),
        [
            (timedelta(seconds=5.5), "5 s ago"),
            (timedelta(minutes=4, seconds=2), "4 min ago"),
            (timedelta(hours=30), "30 h ago"),
            (timedelta(days=600, hours=21), "600 d ago"),
            (timedelta(minutes=-5, seconds=-2), "in 5 min"),
        ],
    )
    def test_uses_one_unit(self, since, text):
        assert markup.show_age(timezone.now() - since) == text
