"""The data of one request of the first page: its time, its window, and the counts that several tiles use."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from messages_app.messages.metrics import counts as rollups
from messages_app.messages.metrics.failing import FailingNow, failing_now
from messages_app.messages.metrics.passes import LONG


@dataclass(frozen=True)
class Window:
    """
    A time window that ends now.

    Args:
        words: its name on the page.
        length: its length.
        width: the length of a slice of its chart.
    """

    words: str
    length: timedelta
    width: timedelta

    def start(self, now: datetime) -> datetime:
        """Return its start: at a full minute or, if counts are per hour, at a full hour."""
        if self.width >= timedelta(hours=1):
            now = now.replace(minute=0)
        return now.replace(second=0, microsecond=0) - self.length


WINDOWS = {
    "1h": Window("1 h", timedelta(hours=1), timedelta(minutes=1)),
    "3h": Window("3 h", timedelta(hours=3), timedelta(minutes=2)),
    "24h": Window("24 h", timedelta(hours=24), timedelta(minutes=15)),
    "7d": Window("7 d", timedelta(days=7), timedelta(hours=2)),
}
# The content of a tile.
Content = dict[str, object]
DEFAULT_WINDOW = "24h"


TREND = timedelta(hours=1)


@dataclass(kw_only=True)
class Snapshot:
    """
    The data that is read once for all tiles, because on a busy server, queries cost more than rows.

    Args:
        now: by the database's clock.
        window: one of WINDOWS.
    """

    now: datetime
    window: str

    @property
    def start(self) -> datetime:
        """The start of the window."""
        return WINDOWS[self.window].start(self.now)

    @property
    def width(self) -> timedelta:
        """The length of a slice of the window's chart."""
        return WINDOWS[self.window].width

    @property
    def slices(self) -> int:
        """The number of slices of the window's chart, the current one included."""
        return 1 + (self.now - self.start) // self.width

    @property
    def end_of_hours(self) -> datetime:
        """The end of the current hour."""
        return self.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)

    @cached_property
    def in_states(self) -> dict[str, rollups.InState]:
        """How many messages are in each state now, except OK; `long` counts those older than LONG."""
        return rollups.now_by_state(before=self.now - LONG)

    @cached_property
    def failing(self) -> FailingNow:
        """The messages that are failing now."""
        return failing_now()

    @cached_property
    def in_states_then(self) -> dict[str, rollups.InState] | None:
        """How many messages were in each state a TREND ago; None if it was not recorded."""
        return rollups.then_by_state(self.now - TREND)

    def entered_lately(self, state: str) -> tuple[int, int]:
        """Return how often a state was entered in the last TREND, and in the one before."""
        return self._entered_lately.get((state, 0), 0), self._entered_lately.get((state, 1), 0)

    @cached_property
    def _entered_lately(self) -> Mapping[tuple[str, int], int]:
        """By state, and by how many whole TRENDs ago it was."""
        end = self.now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        slices = rollups.entered_over_time(start=end - 2 * TREND, end=end, width=TREND)
        return {(one.state, int(one.at < end - TREND)): one.count for one in slices}
