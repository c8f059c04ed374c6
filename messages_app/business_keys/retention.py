"""
Deletes the values of messages that no longer exist: the hub has deleted them, or their month was detached.

Nothing is deleted while the console does not have all tables of the hub from which it read values, because
messages in the other ones only seem to be deleted.

Source: docs/reference/retention.md.
"""

from time import monotonic

from django.db import transaction

from messages_app.business_keys.passes import PASS
from messages_app.core.clock import time_limit
from messages_app.core.statements import Statements
from messages_app.messages.attachment import Feature, lacking_rights

statements = Statements("messages_app.business_keys")

# Values of a step, each of which takes less than a tenth of a second.
_MAX_VALUES = 5_000
_SECONDS = 20.0
_MAX_MS = 10_000


def forget_lost_keys(*, seconds: float = _SECONDS, most: int = _MAX_VALUES) -> int:
    """
    Delete values of lost messages, and return their number. The next call continues at the same place.

    Args:
        seconds: begin no further step after this time.
        most: the maximum number of values of a step.
    """
    until, values = monotonic() + seconds, 0
    while True:
        deleted, has_more = _sweep_once(most)
        values += deleted
        if not has_more or monotonic() > until:
            return values


def _sweep_once(most: int) -> tuple[int, bool]:
    with transaction.atomic(), time_limit(_MAX_MS):
        # The pass, and a second task, would wait for the same rows.
        if not PASS.try_acquire() or not _may_forget():
            return 0, False
        deleted, has_more = statements.only_row("sweep_lost", {"most": most})
        return deleted, has_more


def _may_forget() -> bool:
    """Whether the console can read all tables with messages."""
    row = statements.fetch_row("may_forget", {})
    return row == (True,) and not lacking_rights(Feature.READ)
