"""
Times that PostgreSQL can store and Python's `datetime` cannot, or at whose years its arithmetic overflows.

Senders and hubs write such times: `infinity`, the year 12026, 44 BC, 0001-01-01. One of them must not make
other rows unreadable, so connections of the console read it as a FarTime instead of failing.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, SupportsIndex

from psycopg import DataError
from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.types.datetime import IntervalLoader, TimestamptzLoader

# Times of these years are ordinary ones, to which even a long delay can be added.
_FIRST_YEAR, _LAST_YEAR = 1000, 8999
# The difference from a time that never comes, or always was.
ENDLESS = timedelta.max.days * timedelta(days=1)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INFINITY = float("inf")
# Without a fraction, because encoders of JSON shorten the text of a time that has one.
_EARLIEST, _LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
# The calendar repeats itself after 400 years.
_CYCLE_YEARS = 400
_CYCLE = 146_097 * 86_400 * 1_000_000
# The bounds of timestamptz: 4714-11-24 BC and the end of the year 294276.
_MIN_POSITION, _MAX_POSITION = -210_866_803_200_000_000, 9_224_318_016_000_000_000
_TEXT = re.compile(
    r"(\d{4,6})-(\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)"
    r"(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?( BC)?",
    re.ASCII,
)


class FarTime(datetime):
    """
    A time outside the years 1000 to 8999, in UTC.

    It is compared, sorted and subtracted exactly, and written as PostgreSQL writes it: `infinity`,
    `12026-11-27 00:00:00+00`, `0044-03-15 00:00:00+00 BC`. The fields `year` to `microsecond` are those of
    the nearest time that a `datetime` can have.
    """

    # Microseconds since 1970, or plus or minus infinity.
    position: float

    def __new__(cls, position: float) -> "FarTime":
        nearest = _nearest_time(position)
        self = super().__new__(cls, *nearest.timetuple()[:6], nearest.microsecond, UTC)
        self.position = position
        return self

    @property
    def is_endless(self) -> bool:
        return abs(self.position) == _INFINITY

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        """Write the time as PostgreSQL does, without a fraction if `timespec` is "seconds"."""
        if self.is_endless:
            return "infinity" if self.position > 0 else "-infinity"
        time, years = self._in_known_years()
        year = time.year + years
        fraction = f".{time.microsecond:06d}" if time.microsecond and timespec != "seconds" else ""
        # The year before the year 1 is 1 BC.
        written, era = (year, "") if year > 0 else (1 - year, " BC")
        return f"{written:04d}-{time:%m-%d}{sep}{time:%H:%M:%S}{fraction}+00:00{era}"

    def _in_known_years(self) -> tuple[datetime, int]:
        """Return the same day and time of a known year, and the years to add."""
        cycles, rest = divmod(int(self.position), _CYCLE)
        return _EPOCH + rest * _MICROSECOND, cycles * _CYCLE_YEARS

    def strftime(self, format: str) -> str:
        """Write the time to the second, whatever the format: a part of it would be misleading."""
        return without_zone(self)

    __format__ = strftime

    def __str__(self) -> str:
        return self.isoformat(" ")

    def __repr__(self) -> str:
        return f"FarTime({self})"

    def tzname(self) -> str:
        return "UTC"

    def astimezone(self, tz: tzinfo | None = None) -> "FarTime":
        return self

    def replace(self, *args: Any, **fields: Any) -> "FarTime":
        """Return the same time: it cannot be truncated or moved to another zone."""
        return self

    def timestamp(self) -> float:
        return self.position / 1_000_000

    def __eq__(self, other: object) -> bool:
        return isinstance(other, datetime) and self.position == _position_of_time(other)

    def __lt__(self, other: Any) -> bool:
        return self.position < _position_of_time(other)

    def __le__(self, other: Any) -> bool:
        return self.position <= _position_of_time(other)

    def __gt__(self, other: Any) -> bool:
        return self.position > _position_of_time(other)

    def __ge__(self, other: Any) -> bool:
        return self.position >= _position_of_time(other)

    def __hash__(self) -> int:
        return hash(self.position)

    def __add__(self, span: timedelta) -> Any:
        """Return the time after a duration, which is an ordinary one if it is not far."""
        return time_at(self.position + span // _MICROSECOND)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, timedelta):
            return self + -other
        return _make_span(self.position, _position_of_time(other))

    def __rsub__(self, other: datetime) -> timedelta:
        return _make_span(_position_of_time(other), self.position)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return FarTime, (self.position,)


def time_at(position: float) -> datetime:
    """Return the time that is a number of microseconds after 1970: a FarTime only if it is far."""
    if not _MIN_POSITION <= position < _MAX_POSITION:
        return FarTime(_INFINITY if position > 0 else -_INFINITY)
    nearest = _nearest_time(position)
    return nearest if _FIRST_YEAR <= nearest.year <= _LAST_YEAR else FarTime(position)


def parse_time(text: str) -> datetime:
    """
    Parse a time as PostgreSQL writes it in the ISO style, or in JSON.

    Raises:
        ValueError: it is not a time.
    """
    if text in {"infinity", "-infinity"}:
        return FarTime(float(text))
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a time.")
    year, day, time, sign, hours, minutes, seconds, era = match.groups()
    cycles, year_of_cycle = divmod(1 - int(year) if era else int(year), _CYCLE_YEARS)
    # A known year with the same calendar.
    similar = datetime.fromisoformat(f"{year_of_cycle + 5 * _CYCLE_YEARS}-{day}T{time}+00:00")
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0), seconds=int(seconds or 0))
    east = (-offset if sign == "-" else offset) // _MICROSECOND
    return time_at(_position_of_time(similar) + (cycles - 5) * _CYCLE - east)


def without_zone(moment: datetime) -> str:
    """Return a time to the second without its zone: 2026-11-21 13:58:07, 12026-11-27 00:00:00, infinity."""
    text = moment.isoformat(" ", "seconds")
    return text[:19] if type(moment) is datetime else text.replace("+00:00", "")


def with_zone(moment: datetime) -> str:
    """Return a time to the second with its zone: 2026-11-21 13:58:07 UTC, infinity."""
    is_endless = isinstance(moment, FarTime) and moment.is_endless
    return without_zone(moment) if is_endless else f"{without_zone(moment)} {moment.tzname()}"


def machine_text(moment: datetime) -> str:
    """Return a time for programs: 2026-11-21T13:58:07.5Z, 12026-11-27T00:00:00Z, infinity."""
    return moment.isoformat().replace("+00:00", "Z")


def _nearest_time(position: float) -> datetime:
    """Return the nearest time that a `datetime` can have."""
    try:
        return _EPOCH + int(position) * _MICROSECOND
    except OverflowError:
        return _LATEST if position > 0 else _EARLIEST


def _position_of_time(moment: datetime) -> float:
    if isinstance(moment, FarTime):
        return moment.position
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def _make_span(end: float, start: float) -> timedelta:
    if end == start:
        return timedelta(0)
    if _INFINITY in {abs(end), abs(start)}:
        return ENDLESS if end > start else -ENDLESS
    return int(end - start) * _MICROSECOND


class _TimeLoader(TimestamptzLoader):
    """Reads `timestamptz` of a session in UTC; Django asks for the zone in the attribute."""

    timezone = UTC

    def load(self, data: Any) -> datetime:
        try:
            moment = super().load(data)
        except DataError:
            return parse_time(bytes(data).decode())
        if _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            return moment.replace(tzinfo=UTC)
        return parse_time(bytes(data).decode())


class _SpanLoader(IntervalLoader):
    """Reads `interval`, also an endless one, which PostgreSQL has since version 17."""

    def load(self, data: Any) -> timedelta:
        text = bytes(data)
        if text.endswith(b"infinity"):
            return -ENDLESS if text.startswith(b"-") else ENDLESS
        return super().load(data)


class _FarTimeDumper(Dumper):
    oid = types["timestamptz"].oid

    def dump(self, obj: FarTime) -> bytes:
        return str(obj).encode()


def register_far_times(context: AdaptContext) -> None:
    """Let the connections of this context read and write far times. Their session must be in UTC."""
    context.adapters.register_loader("timestamptz", _TimeLoader)
    context.adapters.register_loader("interval", _SpanLoader)
    context.adapters.register_dumper(FarTime, _FarTimeDumper)
