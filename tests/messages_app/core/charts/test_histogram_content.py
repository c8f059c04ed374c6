"""The chart of a list with numbers that all differ."""

from dataclasses import replace
from datetime import timedelta

from django.template.loader import render_to_string

from messages_app.core.charts.histogram import Histogram, Picture
from messages_app.core.charts.slices import cut_into_slices
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of

HISTOGRAM = Histogram(
    start=NOON,
    stop=NOON + timedelta(minutes=4),
    slices=cut_into_slices(NOON, NOON + timedelta(minutes=4)),
    counts={(0, "OK"): 41, (0, "FAILED"): 12, (1, "OK"): 1_203},
    sampled=1,
    is_usual=False,
)


def show(histogram: Histogram | None, **values: object) -> str:
    picture = histogram and Picture(
        histogram,
        column="at",
        from_ground=lambda state: (state == "OK", state),
        others=[("state", "FAILED,OK")],
    )
    context = {"picture": picture, "list": "/list/", "things": "messages", "drawn": "Received"}
    return render_to_string("messages_app/charts/_histogram.html", context | values)


def read(histogram: Histogram) -> list[str]:
    return [line.replace("/list/?state=FAILED,OK&at_from=", "LIST") for line in outline_of(show(histogram))]


class TestHistogram:
    def test_shows_all_its_numbers(self):
        assert read(HISTOGRAM) == [
            "Received",
            "2026-11-01 12:00:00 – 2026-11-01 12:04:00 UTC",
            "{FAILED} FAILED 12",
            "{OK} OK 1 244",
            "[Zoom out](LIST2026-11-01T11:54:00Z&at_to=2026-11-01T12:10:00Z)",
            "(title: Highest bar) 1 203",
            (
                "(svg viewbox=0 0 480 100) (label: Bar chart of messages over time; each bar links to its "
                "messages) (label: 2026-11-01 12:00:00 UTC: 12 FAILED, 41 OK) [2026-11-01 12:00:00 UTC – "
                "2026-11-01 12:00:05 UTC 12 FAILED 41 OK (rect x=0 y=0 width=10 height=100) {FAILED} (rect "
                "x=0.75 y=96.1 width=8.5 height=3.9) {OK} (rect x=0.75 y=89.9 width=8.5 "
                "height=6.2)](LIST2026-11-01T12:00:00Z&at_to=2026-11-01T12:00:05Z) "
                "(label: 2026-11-01 12:00:05 UTC: 1 203 OK) [2026-11-01 12:00:05 UTC – 2026-11-01 12:00:10 "
                "UTC 1 203 OK (rect x=10 y=0 width=10 height=100) {OK} (rect x=10.75 y=3.0 width=8.5 "
                "height=97.0)](LIST2026-11-01T12:00:05Z&at_to=2026-11-01T12:00:10Z)"
            ),
            "(rect x=0 y=0 width=0 height=100)",
            (
                "(svg) (line x1=0.0% x2=0.0% y1=0 y2=4) 12:00 (line x1=25.0% x2=25.0% y1=0 y2=4) 12:01 "
                "(line x1=50.0% x2=50.0% y1=0 y2=4) 12:02 (line x1=75.0% x2=75.0% y1=0 y2=4) 12:03 "
                "(line x1=100.0% x2=100.0% y1=0 y2=4) 12:04"
            ),
            "As a table",
            "Messages over time, by state",
            "From | FAILED | OK | Total",
            ("[2026-11-01 12:00:00 UTC](LIST2026-11-01T12:00:00Z&at_to=2026-11-01T12:00:05Z) | 12 | 41 | 53"),
            (
                "[2026-11-01 12:00:05 "
                "UTC](LIST2026-11-01T12:00:05Z&at_to=2026-11-01T12:00:10Z) | | "
                "1 203 | 1 203"
            ),
        ]
        assert 'data-list="/list/?state=FAILED,OK"' in show(HISTOGRAM)

    def test_says_how_it_was_counted(self):
        sampled = replace(HISTOGRAM, sampled=0.25, is_usual=True, note="entities are ignored")
        lines = read(sampled)
        assert lines[1:6] == [
            "2026-11-01 12:00:00 – 2026-11-01 12:04:00 UTC · the last 24 h · entities are ignored",
            (
                "(title: Only parts of the period were counted. Rare states may be missing.) estimated "
                "from 25 %"
            ),
            "{FAILED} FAILED about 12",
            "{OK} OK about 1 200",
            "[Zoom out](LIST2026-11-01T11:54:00Z&at_to=2026-11-01T12:10:00Z)",
        ]
        assert "(title: Highest bar) 1 200" in lines

    def test_says_why_it_is_missing(self):
        assert outline_of(show(None)) == [
            "Too many messages to draw within a second. Narrow the filter or the time range."
        ]
        assert outline_of(show(replace(HISTOGRAM, counts={})))[-1] == "None in this period."
        silent = replace(HISTOGRAM, counts={}, why_not="The filter cannot be counted.")
        assert outline_of(show(silent))[-1] == "The filter cannot be counted."
        assert "As a table" not in show(silent)

    def test_gives_the_script_its_measures(self):
        start = round(NOON.timestamp() * 1_000)
        assert f'data-start="{start}" data-step="5000" data-count="48"' in show(HISTOGRAM)
