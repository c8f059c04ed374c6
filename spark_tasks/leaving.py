"""
Which messages of the message store a job leaves: one rule for executors, rehearsals and previews.

No Spark and no Arrow either, for the pages ask it too. Source: spec/other-systems.md 2.7.
"""

from collections.abc import Collection

from messages_app.jobs.states import SkipReason
from messages_app.message_store.states import may_reprocess


def reason_of(state: str, refreshed: str | None, *, named: Collection[str]) -> str | None:
    """
    Return why a message is left; None: it is not.

    Args:
        state: an empty one is that of history alone.
        refreshed: of a refresh message, the entity that it refreshes.
        named: the entities of which refresh messages may be processed again.
    """
    if not state or not may_reprocess(int(state)):
        return str(SkipReason.STATE_CONFLICT)
    return str(SkipReason.REFRESH) if refreshed is not None and refreshed not in named else None
