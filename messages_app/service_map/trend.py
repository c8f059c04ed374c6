"""The chart of 24 hours and of the same hours a week before. Lengths are in units of the SVG's grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from messages_app.core.charts.scale import TimeScale
from messages_app.service_map.participants import Hour

COLUMN, HEIGHT = 10, 80
_GAP = 2
# A single failure must be visible next to thousands of successes.
_MIN_HEIGHT = 2.0


@dataclass(frozen=True, kw_only=True)
class Column:
    """The bar of one hour: failures at the baseline, successes above them."""

    hour: Hour
    x: float
    failed_height: float
    succeeded_height: float

    width = COLUMN - _GAP

    @property
    def failed_y(self) -> float:
        return HEIGHT - self.failed_height

    @property
    def succeeded_y(self) -> float:
        return round(HEIGHT - self.failed_height - self.succeeded_height, 1)


@dataclass(frozen=True, kw_only=True)
class Trend:
    """
    The chart.

    Args:
        line: the path of the week before; empty if nothing was counted then.
    """

    columns: Sequence[Column]
    line: str
    highest: int

    width = COLUMN * 24
    height = HEIGHT

    @property
    def scale(self) -> TimeScale:
        start = self.columns[0].hour.at
        return TimeScale(start=start, stop=start + timedelta(days=1), highest=self.highest)


def draw_trend(hours: Sequence[Hour]) -> Trend:
    highest = max((max(hour.succeeded + hour.failed, hour.week_before) for hour in hours), default=0)
    columns = [
        Column(
            hour=hour,
            x=COLUMN * place + _GAP / 2,
            failed_height=_scale_count(hour.failed, highest),
            succeeded_height=_scale_count(hour.succeeded, highest),
        )
        for place, hour in enumerate(hours)
    ]
    return Trend(columns=columns, line=_draw_line(hours, highest), highest=highest)


def _scale_count(count: int, highest: int) -> float:
    return round(max(HEIGHT * count / highest, _MIN_HEIGHT), 1) if count else 0.0


def _draw_line(hours: Sequence[Hour], highest: int) -> str:
    if not any(hour.week_before for hour in hours):
        return ""
    places = [
        f"{COLUMN * place + COLUMN / 2:g} {HEIGHT - _scale_count(hour.week_before, highest):g}"
        for place, hour in enumerate(hours)
    ]
    return "M" + "L".join(places)
