"""The position in the messages from before the console was installed, whose failures are gathered too."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from messages_app.core.statements import Statements

statements = Statements("messages_app.incidents")

# The rule reads one day, and counts have minutes for little longer.
DAY = timedelta(hours=25)


class Position(NamedTuple):
    """Messages with lower ids are still to be read; None: all."""

    before: int | None


@dataclass(frozen=True, kw_only=True)
class Part:
    """
    The messages that were read.

    Attributes:
        lowest: the lowest id; None without messages.
        oldest: when the first of them was received.
        is_last: there are no others of the last day.
    """

    lowest: int | None
    oldest: datetime | None
    is_last: bool


def read_position() -> Position | None:
    """Return the position; None if all messages of the last day were read, or nothing was counted yet."""
    row = statements.fetch_row("read_history", {})
    return Position(row[1]) if row and row[0] else None


def move_history(part: Part, position: Position) -> bool:
    """Move the position behind a part; return False if another process has moved it meanwhile."""
    values = {
        "before": position.before if part.lowest is None else part.lowest,
        "oldest": part.oldest,
        "is_last": part.is_last,
        "moved_from": position.before,
    }
    return statements.count("move_history", values) == 1
