"""
The time zone of a hub, whose tables have times without one, as far as its newest time shows it.

Source: docs/howto/attach.md, "3. Check first".
"""

from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.db import connection
from psycopg import sql

from messages_app.attach import rights
from messages_app.attach.recognition import Hub
from messages_app.core.formatting import format_duration

UTC = "UTC"
_SAME_AS_UTC = {"UTC", "Etc/UTC", "GMT", "Etc/GMT", "Etc/UCT", "UCT", "Universal", "Etc/Universal", "Zulu"}
# A hub that has written within this time is at work now. Clocks may differ by the other.
_MAX_AGE_SECONDS = 120
_MAX_AHEAD_SECONDS = 60
# The zones of the server: that of its sessions, whatever this session has set, and that of its log.
_ZONES_OF_SERVER = "SELECT reset_val FROM pg_settings WHERE name IN ('TimeZone', 'log_timezone')"
# The newest messages have the newest times. Without an index, the maximum of all would read the whole table.
# A time that is later than tomorrow in every zone, such as the year 12026, shows no zone.
_NEWEST = """
SELECT max(last_update_timestamp) AS at
  FROM (SELECT last_update_timestamp FROM {message} ORDER BY msg_id DESC LIMIT 10000) AS latest
 WHERE isfinite(last_update_timestamp)
   AND last_update_timestamp < timezone('UTC', clock_timestamp()) + interval '2 days'
"""
_AGES = """
SELECT zone, extract(epoch FROM timezone(zone, clock_timestamp()) - newest.at)::float8
  FROM unnest({zones}::text[]) AS zone, ({newest}) AS newest
 WHERE newest.at IS NOT NULL
"""


@dataclass(frozen=True)
class Evidence:
    """
    Args:
        zone: the zone in which the hub is writing now; None if no zone fits, or more than one.
        ages: the seconds since the hub's newest time, in UTC and in the zones of the server; empty if there
            is no time, or if it may not be read.
    """

    zone: str | None
    ages: dict[str, float]

    def describe(self) -> str:
        """Return a sentence about the zones that are possible."""
        if not self.ages:
            return "The hub has no message yet that would show it."
        ages = (f"{_describe_age(age)} in {zone}" for zone, age in self.ages.items())
        return f"Its newest time would be {' or '.join(ages)}."


def read_evidence(hub: Hub) -> Evidence:
    """Compare the newest time of a hub with the clock of the database, in the zones that are likely."""
    if any(each.tier is rights.Tier.READ for each in rights.missing_privileges(hub)):
        return Evidence(None, {})
    with connection.cursor() as cursor:
        cursor.execute(_ZONES_OF_SERVER)
        zones = dict.fromkeys([UTC, *sorted(_normalize_name(zone) for (zone,) in cursor.fetchall())])
        query = sql.SQL(_AGES).format(
            zones=sql.Literal([zone for zone in zones if _is_known(zone)]),
            newest=newest_time(hub),
        )
        cursor.execute(query)
        ages = dict(cursor.fetchall())
    live = [zone for zone, age in ages.items() if -_MAX_AHEAD_SECONDS <= age <= _MAX_AGE_SECONDS]
    return Evidence(live[0] if len(live) == 1 else None, {zone: ages[zone] for zone in zones if zone in ages})


def newest_time(hub: Hub) -> sql.Composed:
    """Return a query of the newest time of a hub, as its tables have it; its row is NULL without times."""
    return sql.SQL(_NEWEST).format(message=sql.Identifier(hub.schema, "message"))


def _normalize_name(zone: str) -> str:
    return UTC if zone in _SAME_AS_UTC else zone


def _is_known(zone: str) -> bool:
    """Whether Python knows the zone, too. The server also accepts abbreviations and offsets."""
    try:
        return bool(ZoneInfo(zone).key)
    except (KeyError, ValueError, OSError):
        return False


def _describe_age(age: float) -> str:
    span = format_duration(timedelta(seconds=abs(age)))
    return f"{span} old" if age >= 0 else f"{span} in the future"
