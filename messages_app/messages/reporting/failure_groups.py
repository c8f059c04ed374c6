"""Failed messages in groups: the same error of the same service."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection

from messages_app.messages.reporting.normalising import normalised
from messages_app.messages.reporting.sql import statement
from messages_app.messages.reporting.time_ranges import TimeRange

FENCE = 10_000
MAX_GROUPS = 500
SAMPLES = 5
_CHARACTERS = 500


@dataclass
class FailureGroup:
    """
    Messages that failed alike.

    Attributes:
        summary: the first line of the error, without what differs (normalising.py).
        example: the first line as the newest message has it.
        first_timestamp, last_timestamp: when the oldest and the newest of them were received.
        msg_ids: the newest, at most SAMPLES.
    """

    service_name: str
    failed_error_code: str | None
    summary: str
    example: str
    last_timestamp: datetime
    first_timestamp: datetime
    count: int = 0
    msg_ids: list[int] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class FailureGroups:
    """
    The groups of a time range, the largest first.

    Args:
        truncated: only the newest FENCE failures were read, or there are more than MAX_GROUPS groups.
    """

    groups: list[FailureGroup]
    truncated: bool


def failure_groups(range_: TimeRange) -> FailureGroups:
    """Return the failed messages received in a range by service, error code and normalised first line."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("failures"),
            {
                "start": range_.start,
                "end": range_.end,
                "fence": FENCE + 1,
                "characters": _CHARACTERS,
            },
        )
        rows = cursor.fetchall()
    groups = sorted(_grouped(rows[:FENCE]), key=lambda group: -group.count)
    return FailureGroups(groups=groups[:MAX_GROUPS], truncated=len(rows) > FENCE or len(groups) > MAX_GROUPS)


def _grouped(rows: Iterable[tuple]) -> Iterable[FailureGroup]:
    """Return the groups of rows that come newest first."""
    groups: dict[tuple, FailureGroup] = {}
    for msg_id, received, service, code, text in rows:
        summary = normalised(text)
        group = groups.get((service, code, summary))
        if group is None:
            example = (text or "").lstrip().partition("\n")[0]
            group = FailureGroup(service, code, summary, example, received, received)
            groups[service, code, summary] = group
        group.count += 1
        group.first_timestamp = received
        if len(group.msg_ids) < SAMPLES:
            group.msg_ids.append(msg_id)
    return groups.values()
