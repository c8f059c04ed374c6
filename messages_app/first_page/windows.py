"""The times that the first page looks back over."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Window:
    """
    A time that ends now.

    Args:
        words: how the page calls it.
        length: how far it goes back.
        width: of a slice of its chart.
    """

    words: str
    length: timedelta
    width: timedelta

    def start(self, now: datetime) -> datetime:
        """Return where it begins: on a minute; where counts are of hours, on an hour."""
        if self.width >= timedelta(hours=1):
            now = now.replace(minute=0)
        return now.replace(second=0, microsecond=0) - self.length


WINDOWS = {
    "1h": Window("1 h", timedelta(hours=1), timedelta(minutes=1)),
    "3h": Window("3 h", timedelta(hours=3), timedelta(minutes=2)),
    "24h": Window("24 h", timedelta(hours=24), timedelta(minutes=15)),
    "7d": Window("7 d", timedelta(days=7), timedelta(hours=2)),
}
DEFAULT_WINDOW = "24h"
