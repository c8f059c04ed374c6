from datetime import timedelta

import pytest

from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.history import Timeline
from messages_app.messages.timeline.spans import Span
from messages_app.messages.timeline.waterfall import ROWS_EACH_END, Bar, draw_waterfall
from messages_app.shared.far_times import FarTime
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def timeline(*entries: Entry, spans: tuple[Span, ...] = (), cut_at: int | None = None) -> Timeline:
    return Timeline(entries=list(entries), cut_at=cut_at, spans=list(spans), at=at(100))


def moment(seconds: float, **columns: object) -> Entry:
    return Entry(**{"at": at(seconds), "kind": Kind.EXTERNAL_CALL, "text": "call"} | columns)


class TestWaterfall:
    def test_places_moments_and_bars_on_one_axis(self):
        drawing = draw_waterfall(timeline(moment(0), moment(2, until=at(6), state="OK"), moment(8)))
        assert [(row.bar.left, row.bar.width) for row in drawing.rows] == [
            ("0.00%", ""),
            ("25.00%", "50.00%"),
            ("100.00%", ""),
        ]
        assert (drawing.start, drawing.end) == (NOON, at(8))

    def test_draws_an_open_entry_until_now(self):
        drawing = draw_waterfall(timeline(moment(0), moment(40, is_open=True)))
        assert (drawing.rows[1].bar.left, drawing.rows[1].bar.width) == ("40.00%", "60.00%")

    def test_keeps_bars_visible_and_within_the_axis(self):
        drawing = draw_waterfall(timeline(moment(0), moment(50), moment(100, until=at(100))))
        assert (drawing.rows[2].bar.left, drawing.rows[2].bar.width) == ("99.50%", "0.50%")

    def test_lists_an_entry_without_a_time_but_draws_no_bar(self):
        drawing = draw_waterfall(timeline(moment(0), moment(0, at=None)))
        assert drawing.rows[1].bar is None

    def test_lists_an_entry_at_an_infinite_time_but_draws_no_bar(self):
        drawing = draw_waterfall(timeline(moment(0), moment(2), moment(0, at=FarTime(float("inf")))))
        assert [row.bar is None for row in drawing.rows] == [False, False, True]
        assert (drawing.start, drawing.end) == (NOON, at(2))

    def test_leaves_out_entries_that_another_row_shows(self):
        attempt = moment(0, kind=Kind.ATTEMPT, until=at(5), state="FAILED")
        repeated = [
            moment(5, kind=Kind.STATE_CHANGE, state="FAILED"),
            moment(1, kind=Kind.STATE_CHANGE, state="POSTPONED"),
            moment(1, kind=Kind.RESPONSE, belongs_to=7),
            moment(1, kind=Kind.QUEUED),
            moment(1, kind=Kind.WAIT, until=at(1.5), state="NEW"),
        ]
        new = moment(9, kind=Kind.STATE_CHANGE, state="FAILED")
        drawn = [row.entry for row in draw_waterfall(timeline(attempt, *repeated, new)).rows]
        assert drawn == [attempt, new]

    def test_shows_only_failures_on_request(self):
        bad = moment(3, state="FAILED")
        drawing = draw_waterfall(timeline(moment(0), bad, moment(5, state="OK")), failures_only=True)
        assert [row.entry for row in drawing.rows] == [bad]
        assert drawing.failures == 1

    def test_is_empty_without_failures(self):
        drawing = draw_waterfall(timeline(moment(0)), failures_only=True)
        assert (drawing.rows, drawing.failures) == ([], 0)

    def test_draws_both_ends_of_a_long_timeline(self):
        drawing = draw_waterfall(timeline(*(moment(seconds) for seconds in range(3 * ROWS_EACH_END))))
        assert (drawing.entry_count, drawing.is_cut) == (2 * ROWS_EACH_END, True)
        assert [place for place, row in enumerate(drawing.rows) if row.entry is None] == [ROWS_EACH_END]

    def test_marks_where_a_short_timeline_was_cut(self):
        drawing = draw_waterfall(timeline(moment(0), moment(1), moment(2), moment(3), cut_at=2))
        assert [row.entry is None for row in drawing.rows] == [False, False, True, False, False]

    @pytest.mark.parametrize(("more", "is_cut"), [(0, False), (1, True)])
    def test_is_cut_if_it_has_more_entries_than_both_ends(self, more, is_cut):
        drawing = draw_waterfall(timeline(*(moment(seconds) for seconds in range(2 * ROWS_EACH_END + more))))
        assert (drawing.entry_count, drawing.is_cut) == (2 * ROWS_EACH_END, is_cut)
        assert len(drawing.rows) == 2 * ROWS_EACH_END + more

    def test_has_all_values_of_bars_and_bands_within_the_axis(self):
        spans = (
            Span(state="NEW", since=at(-3), until=at(-1)),
            Span(state="FAILED", since=at(-1), until=at(0)),
            Span(state="PROCESSING", since=at(0), until=at(2)),
            Span(state="WAITING", since=at(2), until=at(8)),
            Span(state="POSTPONED", since=at(8), until=at(9)),
            Span(state="OK", since=at(9)),
        )
        entries = (moment(0, state="FAILED"), moment(2, until=at(6), state="OK"), moment(8))
        drawing = draw_waterfall(timeline(*entries, spans=spans))
        assert [row.bar for row in drawing.rows] == [
            Bar(left="0.00%", width="", state="FAILED"),
            Bar(left="25.00%", width="50.00%", state="OK"),
            Bar(left="100.00%", width="", state=""),
        ]
        assert [(band.state, band.title, band.left) for band in drawing.bands] == [
            ("FAILED", "FAILED for 1 s", "0.00%"),
            ("PROCESSING", "PROCESSING for 2 s", "0.00%"),
            ("WAITING", "WAITING for 6 s", "25.00%"),
            ("POSTPONED", "POSTPONED for 1 s", "99.50%"),
        ]
        open_band = draw_waterfall(timeline(*entries, spans=(Span(state="WAITING", since=at(2)),))).bands
        assert open_band == [Bar(left="25.00%", width="75.00%", state="WAITING", title="WAITING for 6 s")]

    def test_draws_the_states_and_marks_breaks(self):
        spans = (Span(state="PROCESSING", since=NOON, until=at(1)), Span(state="WAITING", since=at(1)))
        ends = (
            moment(0, kind=Kind.ATTEMPT, until=at(1)),
            moment(1, kind=Kind.WAIT, state="WAITING", is_open=True),
        )
        drawing = draw_waterfall(timeline(*ends, spans=spans))
        assert [band.title for band in drawing.bands] == ["PROCESSING for 1 s", "WAITING for 99 s"]
        assert [(cut.text, cut.exact) for cut in drawing.cuts] == [("99 s", "99 s")]

    def test_shows_a_cut_in_days(self):
        long_after = 600 * 86400 + 21 * 3600
        drawing = draw_waterfall(
            timeline(
                moment(0, kind=Kind.ATTEMPT, until=at(0.39)),
                moment(long_after, kind=Kind.ATTEMPT, until=at(long_after + 0.2)),
            )
        )
        assert [(cut.text, cut.exact) for cut in drawing.cuts] == [("600 d", "600 d 21 h")]
        assert [(cut.start, cut.end) for cut in drawing.cuts] == [(at(0.39), at(long_after))]

    def test_breaks_no_time_of_processing_and_counts_no_call_as_such(self):
        def cuts_of(kind: Kind) -> list[str]:
            entries = (moment(0), moment(1, kind=kind, until=at(5_000)), moment(5_001))
            return [cut.text for cut in draw_waterfall(timeline(*entries)).cuts]

        assert cuts_of(Kind.ATTEMPT) == cuts_of(Kind.REQUEST) == []
        assert cuts_of(Kind.EXTERNAL_CALL) == ["83 min"]

    def test_labels_the_scale_from_the_start_of_each_stretch(self):
        drawing = draw_waterfall(timeline(moment(0), moment(8)))
        assert [line.text for line in drawing.lines] == [
            "",
            "+1 s",
            "+2 s",
            "+3 s",
            "+4 s",
            "+5 s",
            "+6 s",
            "+7 s",
            "",
        ]
        assert [line.left for line in drawing.lines][:3] == ["0.00%", "12.50%", "25.00%"]

    def test_labels_half_minutes_differently(self):
        drawing = draw_waterfall(timeline(moment(0, kind=Kind.ATTEMPT, until=at(210))))
        assert [line.text for line in drawing.lines if line.text] == [
            "+30 s",
            "+60 s",
            "+90 s",
            "+2 min",
            "+2 min 30 s",
            "+3 min",
        ]
