"""
Closes a gap in the history of states: a message whose state is not that of its last entry gets one more.

The states in between are not known, and the entry says so (MessageEvent.UNKNOWN).
Source: docs/decisions/0023-nothing-fails-the-hub.md.
"""

from collections.abc import Sequence

from django.db import transaction

from messages_app.messages.models import MessageEvent
from messages_app.messages.timeline.sql import sender

_AT_ONCE = 10_000
# So many messages are held against the hub at a time, for some milliseconds.
_MOST_HELD = 200


def mend_history() -> int:
    """Add the missing last entries of all live messages, and return how many they were."""
    added, after = 0, 0
    while (row := sender.row_of("find_stale", {"after": after, "most": _AT_ONCE}))[0] is not None:
        after, stale = row
        added += sum(
            _mend(stale[first : first + _MOST_HELD]) for first in range(0, len(stale or ()), _MOST_HELD)
        )
    return added


def _mend(msg_ids: Sequence[int]) -> int:
    """Add entries while nobody changes the messages; one that is being changed now gets its entry by that."""
    with transaction.atomic():
        held = [msg_id for (msg_id,) in sender.rows_of("hold_messages", {"msg_ids": list(msg_ids)})]
        return sender.count_of("add_unknown", {"msg_ids": held, "actor": MessageEvent.UNKNOWN})
