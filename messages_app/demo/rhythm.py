"""When messages arrive: two years, growing, by day, week and hour, with a jump after the outage."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from random import Random

HOUR = 3600.0
DAY = 24 * HOUR

AGE_DAYS = 730
# Everything older may be archived: two months, and some days for calendars that count longer months.
RECENT_DAYS = 62
_RECENT_SHARE = 0.48

_WEEKDAYS = (1.0, 1.05, 1.0, 1.0, 0.9, 0.4, 0.25)
_HOURS = (
    0.10, 0.08, 0.30, 0.25, 0.10, 0.15, 0.35, 0.70, 1.10, 1.35, 1.40, 1.30,
    1.05, 1.15, 1.25, 1.20, 1.05, 0.85, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15,
)  # fmt: skip
_AFTER_OUTAGE = 1.8
_AFTER_OUTAGE_HOURS = 4
# It begins and ends at a round time.
_OUTAGE_STEP = 600.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """When the outage began and ended, seconds since 1970."""

    begins_at: float
    ends_at: float

    def covers(self, at: float) -> bool:
        return self.begins_at <= at < self.ends_at


def last_outage(now: float) -> Outage:
    """Return the outage: three and a half hours, over for an hour: within today's windows."""
    ends_at = now - HOUR
    ends_at -= ends_at % _OUTAGE_STEP
    return Outage(begins_at=ends_at - 3.5 * HOUR, ends_at=ends_at)


def arrivals(*, count: int, now: float, outage: Outage, random: Random) -> Iterator[float]:
    """Yield `count` moments of arrival, ascending, seconds since 1970, none after `now`."""
    hours = [_hour_weight(index, now, outage) for index in range(AGE_DAYS * 24)]
    weights = _with_shares(hours)
    owed, given = 0.0, 0
    for index, weight in enumerate(weights):
        owed += count * weight
        arriving = round(owed) - given
        given += arriving
        begins_at = now - (AGE_DAYS * 24 - index) * HOUR
        yield from sorted(begins_at + random.random() * (HOUR - 1) for _ in range(arriving))


def _hour_weight(index: int, now: float, outage: Outage) -> float:
    at = now - (AGE_DAYS * 24 - index - 0.5) * HOUR
    moment = datetime.fromtimestamp(at, UTC)
    growth = 0.6 + 0.4 * index / (AGE_DAYS * 24)
    jump = _AFTER_OUTAGE if 0 <= at - outage.ends_at < _AFTER_OUTAGE_HOURS * HOUR else 1.0
    return growth * _WEEKDAYS[moment.weekday()] * _HOURS[moment.hour] * jump


def _with_shares(hours: list[float]) -> list[float]:
    """Scale both parts so that the recent one has its share, and all add up to 1."""
    border = (AGE_DAYS - RECENT_DAYS) * 24
    old, recent = sum(hours[:border]), sum(hours[border:])
    return [weight * (1 - _RECENT_SHARE) / old for weight in hours[:border]] + [
        weight * _RECENT_SHARE / recent for weight in hours[border:]
    ]


# The demo's rows as lines of COPY's text format.
#
# Built by hand and not by a driver: a million messages are six million rows, and what is filled in is made
# here, so nothing but templates needs escaping.


NULL = "\\N"
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_utc = partial(datetime.fromtimestamp, tz=UTC)

# The order of the tables is that of their foreign keys.
COLUMNS = {
    "message": (
        # who and what
        "msg_id", "correlation_id", "process_id", "service_name", "operation_name", "source_system",
        "object_id", "entity_type",
        # how far
        "state", "msg_timestamp", "receive_timestamp", "start_process_timestamp", "last_process_timestamp",
        "start_in_queue_timestamp", "node_id",
        # what went wrong
        "failed_count", "failed_error_code", "failed_desc", "business_error",
        # with whom
        "parent_msg_id", "parent_binding_type", "funnel_value", "funnel_component_id", "guaranteed_order",
        "exclude_failed_state",
        # contents
        "payload", "envelope", "custom_data",
    ),
    "external_call": (
        "call_id", "msg_id", "operation_name", "state", "entity_id", "msg_timestamp", "creation_timestamp",
        "last_update_timestamp", "failed_count",
    ),
    "request": ("req_id", "msg_id", "res_join_id", "uri", "req_envelope", "req_timestamp"),
    "response": ("res_id", "req_id", "res_envelope", "failed_reason", "res_timestamp", "failed", "msg_id"),
    "funnel": ("funnel_id", "msg_id", "funnel_value"),
    "message_event": ("msg_id", "from_state", "to_state", "at"),
}  # fmt: skip


def escaped(text: str) -> str:
    """Return `text` as COPY's text format wants it."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def unescaped(text: str) -> str:
    """Return what COPY reads from `text`."""
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)


def stamp(at: float | None) -> str:
    """Return a moment, seconds since 1970, as COPY reads it."""
    return NULL if at is None else _utc(at).isoformat(" ")


class Rows:
    """
    Collects lines for each table, and gives ids out of one row of numbers, as the hub's one sequence does.

    Values are text, escaped already, or NULL.
    """

    def __init__(self, *, first_id: int) -> None:
        self.next_id = first_id
        self.tables: dict[str, list[str]] = {table: [] for table in COLUMNS}

    def new_id(self) -> str:
        given = self.next_id
        self.next_id = given + 1
        return str(given)

    def add(self, table: str, *values: str) -> None:
        """Add one row, its values in the order of COLUMNS."""
        self.tables[table].append("\t".join(values))

    def take(self) -> dict[str, str]:
        """Return what has been collected, the data of one COPY for each table, and begin again."""
        taken = {table: "\n".join([*lines, ""]) for table, lines in self.tables.items() if lines}
        self.tables = {table: [] for table in COLUMNS}
        return taken
