"""Failed messages in groups: the same error of the same service."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from messages_app.grouping.groups import Group, groups_alike
from messages_app.messages.reporting.sql import statement
from messages_app.messages.reporting.time_ranges import TimeRange

FENCE = 10_000
MAX_GROUPS = 500
_CHARACTERS = 500


class FailureKey(NamedTuple):
    """What the messages of a group have in common besides their error's text."""

    service_name: str
    failed_error_code: str | None


@dataclass(frozen=True, kw_only=True)
class FailureGroups:
    """
    The groups of a time range, the largest first.

    Args:
        groups: their keys are FailureKeys; their times are those of receipt.
        truncated: only the newest FENCE failures were read, or there are more than MAX_GROUPS groups.
    """

    groups: list[Group]
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
    groups = groups_alike(
        (msg_id, received, FailureKey(service, code), text)
        for msg_id, received, service, code, text in rows[:FENCE]
    )
    return FailureGroups(groups=groups[:MAX_GROUPS], truncated=len(rows) > FENCE or len(groups) > MAX_GROUPS)
