"""
The end of an incident and its reopening.

Source: docs/how_it_works/incidents.md, "End".
"""

from enum import StrEnum

# Minutes without a new failure before an incident ends.
QUIET = 30
# An incident that ended longer ago is not reopened.
MAX_PAUSE = 24 * 60


class Change(StrEnum):
    """A change of the state of an incident."""

    NOTHING = "nothing"
    END = "end"
    REOPEN = "reopen"


def decide_change(
    *, ended: int | None, last_failure: int, waiting: int, now: int, quiet: int = QUIET
) -> Change:
    """
    Return the change of an incident that is due.

    Args:
        ended: the minute of its end, by the rule or by a person; None while it is open.
        last_failure: the minute of its last failure.
        waiting: its messages that are neither processed nor cancelled.
        quiet: minutes without a failure before it ends.
    """
    if ended is None:
        return Change.END if waiting == 0 and now - last_failure >= quiet else Change.NOTHING
    if last_failure > ended and may_reopen(ended, last_failure):
        return Change.REOPEN
    return Change.NOTHING


def may_reopen(ended: int, failure: int) -> bool:
    """Whether a failure reopens an incident that has ended, instead of opening another one."""
    return failure - ended <= MAX_PAUSE
