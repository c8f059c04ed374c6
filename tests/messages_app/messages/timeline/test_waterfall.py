from datetime import timedelta

from messages_app.messages.timeline.entries import Entry, Kind, Span
from messages_app.messages.timeline.history import Timeline
from messages_app.messages.timeline.waterfall import ROWS_EACH_END, waterfall
from tests.support.factories import NOON


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def timeline(*entries: Entry, spans: tuple[Span, ...] = (), cut_at: int | None = None) -> Timeline:
    return Timeline(entries=list(entries), cut_at=cut_at, spans=list(spans), at=at(100))


def moment(seconds: float, **columns: object) -> Entry:
    return Entry(**{"at": at(seconds), "kind": Kind.EXTERNAL_CALL, "text": "call"} | columns)


class TestWaterfall:
    def test_places_moments_and_bars_on_one_axis(self):
        found = waterfall(timeline(moment(0), moment(2, until=at(6), state="OK"), moment(8)))
        assert [(row.bar.left, row.bar.width) for row in found.rows] == [
            ("0.00%", ""),
            ("25.00%", "50.00%"),
            ("100.00%", ""),
        ]
        assert (found.start, found.end) == (NOON, at(8))

    def test_draws_what_lasts_until_now(self):
        found = waterfall(timeline(moment(0), moment(40, is_open=True)))
        assert (found.rows[1].bar.left, found.rows[1].bar.width) == ("40.00%", "60.00%")

    def test_draws_no_bar_too_narrow_to_be_seen_and_none_beyond_the_edge(self):
        found = waterfall(timeline(moment(0), moment(50), moment(100, until=at(100))))
        assert (found.rows[2].bar.left, found.rows[2].bar.width) == ("99.50%", "0.50%")

    def test_lists_what_has_no_time_without_a_bar(self):
        found = waterfall(timeline(moment(0), moment(0, at=None)))
        assert found.rows[1].bar is None

    def test_leaves_out_what_another_row_has(self):
        attempt = moment(0, kind=Kind.ATTEMPT, until=at(5), state="FAILED")
        told = [
            moment(5, kind=Kind.STATE_CHANGE, state="FAILED"),
            moment(1, kind=Kind.STATE_CHANGE, state="POSTPONED"),
            moment(1, kind=Kind.RESPONSE, belongs_to=7),
            moment(1, kind=Kind.QUEUED),
            moment(1, kind=Kind.WAIT, until=at(1.5), state="NEW"),
        ]
        news = moment(9, kind=Kind.STATE_CHANGE, state="FAILED")
        drawn = [row.entry for row in waterfall(timeline(attempt, *told, news)).rows]
        assert drawn == [attempt, news]

    def test_keeps_to_failures(self):
        bad = moment(3, state="FAILED")
        found = waterfall(timeline(moment(0), bad, moment(5, state="OK")), failures_only=True)
        assert [row.entry for row in found.rows] == [bad]
        assert found.failures == 1

    def test_is_empty_where_nothing_failed(self):
        found = waterfall(timeline(moment(0)), failures_only=True)
        assert (found.rows, found.failures) == ([], 0)

    def test_draws_both_ends_of_what_is_long(self):
        found = waterfall(timeline(*(moment(n) for n in range(3 * ROWS_EACH_END))))
        assert (found.shown, found.is_cut) == (2 * ROWS_EACH_END, True)
        assert [n for n, row in enumerate(found.rows) if row.entry is None] == [ROWS_EACH_END]

    def test_says_where_a_short_timeline_was_cut_before(self):
        found = waterfall(timeline(moment(0), moment(1), moment(2), moment(3), cut_at=2))
        assert [row.entry is None for row in found.rows] == [False, False, True, False, False]

    def test_draws_the_states_and_marks_breaks(self):
        spans = (Span(state="PROCESSING", since=NOON, until=at(1)), Span(state="WAITING", since=at(1)))
        ends = (
            moment(0, kind=Kind.ATTEMPT, until=at(1)),
            moment(1, kind=Kind.WAIT, state="WAITING", is_open=True),
        )
        found = waterfall(timeline(*ends, spans=spans))
        assert [band.title for band in found.bands] == ["PROCESSING for 1 s", "WAITING for 99 s"]
        assert [(cut.text, cut.exact) for cut in found.cuts] == [("99 s", "99 s")]

    def test_names_a_cut_in_days(self):
        long_after = 600 * 86400 + 21 * 3600
        found = waterfall(
            timeline(
                moment(0, kind=Kind.ATTEMPT, until=at(0.39)),
                moment(long_after, kind=Kind.ATTEMPT, until=at(long_after + 0.2)),
            )
        )
        assert [(cut.text, cut.exact) for cut in found.cuts] == [("600 d", "600 d 21 h")]

    def test_writes_the_scale_from_the_start_of_each_stretch(self):
        found = waterfall(timeline(moment(0), moment(8)))
        assert [line.text for line in found.lines] == [
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
        assert [line.left for line in found.lines][:3] == ["0.00%", "12.50%", "25.00%"]
