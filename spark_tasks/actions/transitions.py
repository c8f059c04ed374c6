"""
Restarts, cancels and puts back messages, a slice at a time. Uses psycopg only, no Django.

Source: docs/contributing/spec/cleverbus.md, "Restart and cancel"; docs/contributing/spec/design.md, R-2, R-3;
docs/contributing/spec/promises.md, I-1, I-4, I-9, I-29.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import psycopg

from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.message_states import MessageAction
from messages_app.shared.sql_files import SqlFiles
from messages_app.shared.state_changes import change_states, delete_calls, find_resent
from spark_tasks.contract import Decided, Item, JobKey

statements = SqlFiles("spark_tasks")


@dataclass(frozen=True, kw_only=True)
class Transition:
    """
    Cancels or restarts messages whose state is the same as when the set was frozen.

    Args:
        allowed: the states in which the hub's rules allow the change.
        spares_resent: leave out messages that were corrected and resent.
        total: of a restart: delete all external calls, so that each is made again.
        zone: of a restart: the time zone of an attached hub.
    """

    action: MessageAction
    allowed: tuple[str, ...]
    new_state: str
    total: bool = False
    spares_resent: bool = False
    zone: str | None = None

    may_be_repeated = False  # The hub then picks up a restarted message immediately.

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Change the messages that may be changed. Raises as contract.Action."""
        connection.execute(statements.read_text("name_actor"), {"job_id": key.job_id})
        changed, locked = change_unlocked(connection, items, self._update)
        missing = [item for item in items if item.msg_id not in changed]
        details = {}
        if self.action is MessageAction.RESTART and changed:
            with connection.cursor() as cursor:
                details = {"deleted_external_calls": delete_calls(cursor, changed, total=self.total)}
        refusals = reasons_of_missing(connection, missing, locked)
        if self.spares_resent and missing:
            refusals |= self._refuse_resent(connection, refusals)
        return Decided(refusals=refusals, versions=frozenset(changed.values()), details=details)

    def _refuse_resent(self, connection: psycopg.Connection, missing: Collection[int]) -> dict[int, str]:
        with connection.cursor() as cursor:
            resent = find_resent(cursor, missing)
        return dict.fromkeys(resent, skipped_outcome(SkipReason.ALREADY_RESENT))

    def _update(self, connection: psycopg.Connection, items: Sequence[Item]) -> dict[int, str]:
        with connection.cursor() as cursor:
            messages = change_states(
                cursor,
                self.action,
                {item.msg_id: item.old_state for item in items},
                allowed=self.allowed,
                new_state=self.new_state,
                zone=self.zone,
                of_job=True,
                spares_resent=self.spares_resent,
            )
        return {message.msg_id: message.version for message in messages}


@dataclass(frozen=True, kw_only=True)
class PutBack:
    """Undoes a cancel job: each message that has not been changed since gets its previous state."""

    origin_id: int

    new_state = None
    may_be_repeated = False

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Put back the messages that are still as the job left them. Raises as contract.Action."""
        connection.execute(statements.read_text("name_actor"), {"job_id": key.job_id})
        changed, locked = change_unlocked(connection, items, self._update)
        missing = [item for item in items if item.msg_id not in changed]
        return Decided(
            refusals=reasons_of_missing(connection, missing, locked), versions=frozenset(changed.values())
        )

    def _update(self, connection: psycopg.Connection, items: Sequence[Item]) -> dict[int, str]:
        values = {"origin_id": self.origin_id, "ids": [item.msg_id for item in items]}
        return dict(connection.execute(statements.read_text("put_back_states"), values).fetchall())


def change_unlocked(
    connection: psycopg.Connection,
    items: Sequence[Item],
    update: Callable[[psycopg.Connection, Sequence[Item]], dict[int, str]],
) -> tuple[dict[int, str], set[int]]:
    """
    Change the items, except any that another session has locked.

    Args:
        update: changes the items that may be changed, and returns the row version of each changed one.

    Returns:
        The versions by message, and the items that another session had locked.
    """
    try:
        with connection.transaction():
            return update(connection, items), set()
    except psycopg.errors.LockNotAvailable:
        free = lock_free_messages(connection, items)
    rest = [item for item in items if item.msg_id in free]
    return update(connection, rest), {item.msg_id for item in items} - free


def lock_free_messages(connection: psycopg.Connection, items: Sequence[Item]) -> set[int]:
    """Lock the messages that no other session holds, and return their ids."""
    ids = [item.msg_id for item in items]
    return {row[0] for row in connection.execute(statements.read_text("unlocked_messages"), {"ids": ids})}


def reasons_of_missing(
    connection: psycopg.Connection, missing: Sequence[Item], locked: Collection[int]
) -> dict[int, str]:
    """Return why messages were not changed: missing, locked, or no longer in the state of the frozen set."""
    ids = [item.msg_id for item in missing]
    if not ids:
        return {}
    live = {row[0] for row in connection.execute(statements.read_text("live_states"), {"ids": ids})}
    archived = {row[0] for row in connection.execute(statements.read_text("archived_messages"), {"ids": ids})}
    reasons = {}
    for msg_id in ids:
        if msg_id not in live:
            reason = SkipReason.ARCHIVED if msg_id in archived else SkipReason.VANISHED
        else:
            reason = SkipReason.LOCKED if msg_id in locked else SkipReason.MOVED_ON
        reasons[msg_id] = skipped_outcome(reason)
    return reasons
