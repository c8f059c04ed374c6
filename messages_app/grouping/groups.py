"""Rows in groups: those that failed alike, whatever ids and numbers stand in their errors."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from messages_app.grouping.normalising import normalised

SAMPLES = 5


@dataclass
class Group:
    """
    Rows that failed alike.

    Attributes:
        key: what they have in common besides, such as a service and an error code.
        summary: the first line of the error, without what differs (normalising.py).
        example: the first line as the newest row has it.
        first_at, last_at: the times of the oldest and the newest of them.
        ids: of the newest, at most SAMPLES.
    """

    key: tuple
    summary: str
    example: str
    last_at: datetime
    first_at: datetime
    count: int = 0
    ids: list = field(default_factory=list)


def groups_alike(rows: Iterable[tuple[object, datetime, tuple, str | None]]) -> list[Group]:
    """
    Return the groups of rows, the largest first.

    Args:
        rows: (id, time, key, error text) of each, the newest first.
    """
    groups: dict[tuple, Group] = {}
    for row_id, at, key, text in rows:
        summary = normalised(text)
        group = groups.get((key, summary))
        if group is None:
            example = (text or "").lstrip().partition("\n")[0]
            group = groups[key, summary] = Group(key, summary, example, at, at)
        group.count += 1
        group.first_at = at
        if len(group.ids) < SAMPLES:
            group.ids.append(row_id)
    return sorted(groups.values(), key=lambda group: -group.count)
