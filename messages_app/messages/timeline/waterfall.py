"""The drawing of a timeline: a row with a bar for each entry, and the states above them. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.core.charts.axis import Axis, axis_of
from messages_app.core.formatting import format_age, format_measured_duration
from messages_app.messages.timeline.entries import Entry, Kind, leave_out_short_waits
from messages_app.messages.timeline.history import Timeline
from messages_app.messages.timeline.spans import Span, close_spans
from messages_app.shared.far_times import FarTime
from messages_app.shared.message_states import FINAL_STATES

# Rows from each end of a long timeline.
ROWS_EACH_END = 30
# Shorter waits are not drawn.
_MIN_WAIT_SECONDS = 1.0
_MIN_BAR = 0.5
_MAX_BANDS = 200
# The minimum distance between two texts of the scale, in per cent of the axis.
_LABEL_SPACE = 9.0


@dataclass(frozen=True, kw_only=True)
class Bar:
    """
    The bar of a row or a state.

    Args:
        left, width: in per cent of the axis; `width` is empty for an event without duration.
        state: determines the colour.
    """

    left: str
    width: str
    state: str
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One entry with its bar; without a time it has no bar. The row for the omitted entries has neither."""

    entry: Entry | None = None
    bar: Bar | None = None


@dataclass(frozen=True, kw_only=True)
class Cut:
    """
    A break of the axis.

    Args:
        left, width, middle: in per cent of the axis.
        text: the omitted duration in one unit: 600 d.
        exact: the same in two units: 600 d 21 h.
        start, end: of the omitted time.
    """

    left: str
    width: str
    middle: str
    text: str
    exact: str
    start: datetime
    end: datetime


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the scale; `text` is the time since the start of its stretch, if there is enough space."""

    left: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Waterfall:
    """
    Args:
        rows: in time order; a row without an entry marks omitted entries.
        bands: the states of the message.
        cuts: the breaks of the axis, from left to right.
        lines: the scale, from left to right.
        entry_count: the number of entries in the drawing.
        failures: the number of failures among all entries.
        is_cut: whether entries in the middle are omitted.
    """

    rows: list[Row]
    bands: list[Bar]
    cuts: list[Cut]
    lines: list[Line]
    start: datetime
    end: datetime
    entry_count: int
    failures: int
    is_cut: bool


def draw_waterfall(timeline: Timeline, *, failures_only: bool = False) -> Waterfall:
    """Draw a timeline: all entries, or only the failures on the same axis."""
    before, after = _select_entries(timeline)
    failures = [entry for entry in [*before, *after] if entry.is_failure]
    if failures_only:
        before, after = ([entry for entry in part if entry.is_failure] for part in (before, after))
    first, last = before[:ROWS_EACH_END], [*before[ROWS_EACH_END:], *after][-ROWS_EACH_END:]
    is_cut = len(first) + len(last) < len(before) + len(after) or timeline.is_truncated
    drawn = [*timeline.entries[:1], *first, *last]
    axis = axis_of(_times_to_draw(drawn, timeline.at) or [timeline.at], busy=_times_of_processing(drawn))
    return Waterfall(
        rows=_draw_rows(first, last, axis, timeline.at, is_cut),
        bands=list(_draw_bands(timeline.spans, axis, timeline.at)),
        cuts=list(_draw_cuts(axis)),
        lines=list(_draw_lines(axis)),
        start=axis.start,
        end=axis.end,
        entry_count=len(first) + len(last),
        failures=len(failures),
        is_cut=is_cut,
    )


def _select_entries(timeline: Timeline) -> tuple[list[Entry], list[Entry]]:
    """
    Return the entries before and after the cut, without entries that another row also shows.

    Attempts and waits also show changes of state, and a request also shows its responses.
    """
    ends = {(entry.until, entry.state) for entry in timeline.entries if entry.kind == Kind.ATTEMPT}
    acts = {_act_of(entry) for entry in timeline.entries if entry.kind == Kind.OPERATOR_ACTION}
    before = timeline.entries[: timeline.cut_at]
    after = timeline.entries[len(before) :]
    return _without_repetitions(before, ends, acts), _without_repetitions(after, ends, acts)


def _act_of(entry: Entry) -> tuple[int | None, int | None]:
    """Return what a change of state has in common with the action that made it; without a cause, no ids."""
    return entry.entry_id, entry.id


def _without_repetitions(
    entries: Iterable[Entry],
    ends: set[tuple[datetime | None, str]],
    acts: set[tuple[int | None, int | None]],
) -> list[Entry]:
    return [
        entry
        for entry in leave_out_short_waits(entries, seconds=_MIN_WAIT_SECONDS)
        if entry.kind != Kind.QUEUED
        and entry.belongs_to is None
        and not _is_shown_elsewhere(entry, ends, acts)
    ]


def _is_shown_elsewhere(
    entry: Entry, ends: set[tuple[datetime | None, str]], acts: set[tuple[int | None, int | None]]
) -> bool:
    """Return whether an attempt, a wait or an operator's action shows the same as this change of state."""
    return entry.kind == Kind.STATE_CHANGE and (
        entry.state not in FINAL_STATES or (entry.at, entry.state) in ends or _act_of(entry) in acts
    )


def _times_to_draw(entries: Iterable[Entry], now: datetime) -> list[datetime]:
    """Return the times to draw. A far time is listed, but the axis does not reach to it."""
    moments = []
    for entry in entries:
        if entry.at:
            moments += [entry.at, entry.until or (now if entry.is_open else entry.at)]
    return [moment for moment in moments if not isinstance(moment, FarTime)]


def _times_of_processing(entries: Iterable[Entry]) -> list[tuple[datetime, datetime]]:
    """Return the times of processing. A call can span several attempts, so calls do not count."""
    kinds = {Kind.ATTEMPT, Kind.REQUEST}
    return [(entry.at, entry.until) for entry in entries if entry.kind in kinds and entry.at and entry.until]


def _draw_rows(
    first: Sequence[Entry], last: Sequence[Entry], axis: Axis, now: datetime, is_cut: bool
) -> list[Row]:
    cut = [Row()] if is_cut else []
    return [
        *(_draw_row(entry, axis, now) for entry in first),
        *cut,
        *(_draw_row(entry, axis, now) for entry in last),
    ]


def _draw_row(entry: Entry, axis: Axis, now: datetime) -> Row:
    if entry.at is None or isinstance(entry.at, FarTime):
        return Row(entry=entry)
    end = entry.until or (max(now, entry.at) if entry.is_open else None)
    return Row(entry=entry, bar=_draw_bar(axis, entry.at, end, entry.state))


def _draw_bar(axis: Axis, start: datetime, end: datetime | None, state: str, title: str = "") -> Bar:
    left = axis.place_of(start)
    if end is None:
        return Bar(left=_as_percent(left), width="", state=state, title=title)
    width = max(_MIN_BAR, axis.place_of(end) - left)
    return Bar(left=_as_percent(min(left, 100 - width)), width=_as_percent(width), state=state, title=title)


def _draw_bands(spans: Sequence[Span], axis: Axis, now: datetime) -> Iterable[Bar]:
    visible = [span for span in spans if span.until is None or span.until >= axis.start]
    for span, until in close_spans(visible[-_MAX_BANDS:], at=min(now, axis.end)):
        if span.since <= axis.end:
            title = f"{span.state} for {format_measured_duration(until - span.since)}"
            yield _draw_bar(axis, span.since, until, span.state, title)


def _draw_cuts(axis: Axis) -> Iterable[Cut]:
    for piece in axis.breaks:
        lasts = _to_the_second(piece.lasts)
        yield Cut(
            left=_as_percent(piece.left),
            width=_as_percent(piece.width),
            middle=_as_percent(piece.middle),
            text=format_age(lasts),
            exact=format_measured_duration(lasts),
            start=piece.start,
            end=piece.end,
        )


def _to_the_second(time: timedelta) -> timedelta:
    """Round to seconds, so that a gap of 599.6 s between two attempts is shown as ten minutes."""
    return timedelta(seconds=round(time.total_seconds()))


def _draw_lines(axis: Axis) -> Iterable[Line]:
    """Yield the scale. A text is left out if it would overlap the previous one or the end of its stretch."""
    used = 0.0
    ends = [piece.left + piece.width for piece in axis.stretches]
    for tick in axis.make_ticks():
        end = next(end for end in ends if tick.place <= end)
        has_space = (
            bool(tick.after) and tick.place - used >= _LABEL_SPACE and end - tick.place >= _LABEL_SPACE / 2
        )
        used = tick.place if has_space or not tick.after else used
        yield Line(left=_as_percent(tick.place), text=f"+{_format_exactly(tick.after)}" if has_space else "")


def _format_exactly(after: timedelta) -> str:
    """Write the time of a line with its seconds, which other durations of minutes leave out."""
    minutes, seconds = divmod(after, timedelta(minutes=1))
    if seconds and 2 <= minutes < 120:
        return f"{minutes} min {seconds.seconds} s"
    return format_measured_duration(after)


def _as_percent(share: float) -> str:
    return f"{share:.2f}%"
