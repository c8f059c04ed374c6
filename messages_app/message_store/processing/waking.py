"""
Waking messages that wait for a record that has come: their next attempt is now.

Asked after the commit, both by who wrote a record and by who found one missing: whichever commits last sees
the other, so none waits out its back-off in vain. A crash between leaves the back-off. One that is too old
(26) stays where it is until an operator has it processed (2.10 case 21).
"""

from collections.abc import Sequence

from messages_app.message_store.processing.records import Key
from messages_app.message_store.sql import count_of

# In one statement; there may be any number.
_BATCH = 5_000


def wake_waiting(keys: Sequence[Key]) -> int:
    """Let those try again now that lacked these records alone; return how many."""
    values = {"entities": [key.entity for key in keys], "keys": [key.text for key in keys], "limit": _BATCH}
    woken = 0
    while found := count_of("wake_waiting", values):
        woken += found
        if found < _BATCH:
            break
    return woken


def wake_if_resolved(identifier: str) -> None:
    """Let a message try again now whose missing records came while its attempt ended."""
    count_of("wake_one", {"identifier": identifier})
