"""
Failures from before the console was installed: they are gathered by the time at which they happened.

People install a console in the middle of an outage. So the messages of the last day are read once, the newest
first and in parts, and the failing ones wait for their groups as new failures do.
Source: docs/how_it_works/incidents.md.
"""

from time import monotonic

from django.db import transaction

from messages_app.core.clock import database_clock
from messages_app.core.parameters import MAX_ID
from messages_app.core.statements import Statements
from messages_app.incidents.history import DAY, Part, move_history, read_position
from messages_app.messages.failures.models import GROUPING
from messages_app.messages.metrics.passes import COUNTING

statements = Statements("messages_app.messages.failures")

# Messages of one transaction, and how long a pass reads.
BATCH = 20_000
MAX_SECONDS = 2.0


def read_history(*, batch: int = BATCH) -> int:
    """
    Let failures from before the console was installed wait for their groups, and return their number.

    Args:
        batch: messages that one transaction reads.
    """
    until, failures = monotonic() + MAX_SECONDS, 0
    while (part := _read_part(batch)) is not None:
        failures += part
        if monotonic() > until:
            break
    return failures


def _read_part(batch: int) -> int | None:
    """Return the number of failures of the next part; None after the last one, or while others count."""
    with transaction.atomic():
        position = read_position()
        if position is None:
            return None
        # Without this lock, the poll of an attached hub may store the same failures.
        if not GROUPING.try_acquire() or not COUNTING.try_acquire():
            return None
        before = MAX_ID if position.before is None else position.before
        messages, lowest, oldest, newest, failures = statements.only_row(
            "read_history", {"before": before, "most": batch}
        )
        is_last = messages < batch or newest < database_clock() - DAY
        if not move_history(Part(lowest=lowest, oldest=oldest, is_last=is_last), position):
            transaction.set_rollback(True)
            return None
        waiting: int = failures
        return waiting
