"""
The statements of restarts and cancels, which requests and jobs share. Imports no Django code, because
executors use it.

Source: docs/contributing/spec/cleverbus.md, "Restart and cancel".
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from messages_app.shared.message_states import CONFIRMATION_OPERATION, MessageAction
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("messages_app.shared")

# A restart also sets this time, as the hub does: it retries a message some time after last_process_timestamp.
# The argument "zone" is the time zone of an attached hub.
_OWN_STAMP = ", last_process_timestamp = clock_timestamp()"
# A view cannot write to last_process_timestamp, which it computes from this column of the hub.
_STAMP_OF_HUB = ", hub_last_update = timezone(%(zone)s, clock_timestamp())"


class ChangedMessage(NamedTuple):
    msg_id: int
    old_state: str
    version: str


def change_states(
    cursor: Any,
    action: MessageAction,
    expected_states: Mapping[int, str | None],
    *,
    allowed: Collection[str],
    new_state: str,
    zone: str | None,
    of_job: bool,
    spares_resent: bool = False,
) -> list[ChangedMessage]:
    """
    Do an action to the messages whose state is the expected one, if any, and allows it. Return these.

    With `spares_resent`, the messages are locked by a statement of their own: a resend holds the same locks
    until its link is visible.

    Args:
        cursor: of Django or of psycopg.
        expected_states: by message id.
        zone: the time zone of an attached hub; None for the console's own tables.
        of_job: whether a job does it, which has the messages itself. Others change no message that an active
            job has.
        spares_resent: leave out messages that were corrected and resent.
    """
    if spares_resent:
        cursor.execute(statements.read_text("lock_messages"), {"ids": list(expected_states)})
    restart_stamp = _STAMP_OF_HUB if zone else _OWN_STAMP
    stamp = restart_stamp if action == MessageAction.RESTART else ""
    values = {
        "ids": list(expected_states),
        "states": list(expected_states.values()),
        "allowed": sorted(allowed),
        "to_state": new_state,
        "zone": zone,
        "of_job": of_job,
        "spares_resent": spares_resent,
    }
    cursor.execute(statements.read_text("change_states").replace("{stamp}", stamp), values)
    return [ChangedMessage(*row) for row in cursor.fetchall()]


def find_resent(cursor: Any, msg_ids: Collection[int]) -> dict[int, int]:
    """Return the messages that were corrected and resent, with the ids of the new messages."""
    cursor.execute(statements.read_text("resent_messages"), {"ids": list(msg_ids)})
    return dict(cursor.fetchall())


def delete_calls(cursor: Any, msg_ids: Collection[int], *, total: bool) -> list[Any]:
    """Delete the calls that a restart repeats: confirmations, with `total` all. Return them as JSON."""
    operation = None if total else CONFIRMATION_OPERATION
    values = {"msg_ids": list(msg_ids), "operation_name": operation}
    cursor.execute(statements.read_text("delete_external_calls"), values)
    return [row[0] for row in cursor.fetchall()]
