"""
The statements that resend messages with corrected payloads, which requests and jobs share. Imports no Django
code, because executors use it.

A new message gets an id of the hub's sequence and a correlation id of its own, because the hub admits each
once for a source system. It is POSTPONED, as a message that the hub has stored and not started: the poll of
every hub takes such messages, but none takes NEW ones.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Identifiers", "Duplicate correlation ids", "Parents
and children", "Correct and resend".
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from messages_app.shared.message_states import MessageAction, RuleSet
from messages_app.shared.sql_files import SqlFiles
from messages_app.shared.state_changes import change_states

statements = SqlFiles("messages_app.shared")

_OWN = {
    "{message}": "message",
    "{service}": "service_name",
    "{last}": "last_process_timestamp",
    "{now}": "clock_timestamp()",
}
_OF_HUB = {
    "{service}": "service",
    "{last}": "last_update_timestamp",
    "{now}": "timezone(%(zone)s, clock_timestamp())",
}


class RowsLost(Exception):
    """
    A statement wrote another number of rows than were locked for it, as if a trigger of the hub left out one.
    The transaction must not commit.
    """


class Link(NamedTuple):
    """A message that is resent, its state before that, and the id of the new message."""

    original_id: int
    old_state: str
    msg_id: int


def link_messages(
    cursor: Any, expected_states: Mapping[int, str | None], *, rules: RuleSet, job_id: int | None
) -> list[Link]:
    """
    Lock messages that may be resent, and reserve the ids of the new ones. Return the links of these.

    A message is left out if its state is not the expected one, if any, or does not allow it, if it was resent
    before, or if an active job has it.

    Args:
        cursor: of Django or of psycopg.
        job_id: the job that resends messages that it has itself; None for a request.
    """
    values = {
        "ids": list(expected_states),
        "states": list(expected_states.values()),
        "allowed": sorted(rules.resend_from),
        "of_job": job_id is not None,
        "job_id": job_id,
    }
    cursor.execute(statements.read_text("link_resent_messages"), values)
    return [Link(*row) for row in cursor.fetchall()]


def store_corrected(
    cursor: Any, links: Collection[Link], payloads: Mapping[int, str], *, rules: RuleSet, zone: str | None
) -> None:
    """
    Store a new message for each link, with the funnel values of its original.

    Args:
        payloads: the corrected payloads by the id of the original.
        zone: the time zone of an attached hub; None for the console's own tables.

    Raises:
        RowsLost: not every message was stored.
    """
    values = {
        "ids": [link.original_id for link in links],
        "new_ids": [link.msg_id for link in links],
        "payloads": [payloads[link.original_id] for link in links],
        "to_state": rules.resend_to,
        "zone": zone,
    }
    text = statements.read_text("insert_resent_messages")
    for mark, name in (_names_of_hub(cursor) if zone else _OWN).items():
        text = text.replace(mark, name)
    cursor.execute(text, values)
    if {row[0] for row in cursor.fetchall()} != {link.msg_id for link in links}:
        raise RowsLost("Not every corrected message was stored.")
    cursor.execute(statements.read_text("copy_funnel_values"), values)


def cancel_originals(
    cursor: Any, links: Collection[Link], *, rules: RuleSet, zone: str | None
) -> frozenset[str]:
    """
    Cancel the originals, and return the versions of their rows.

    The hub itself would restart such a message and cancel it before its poll takes it. Here nothing can take
    it in between, because the rows are locked.

    Raises:
        RowsLost: not every original was cancelled.
    """
    messages = change_states(
        cursor,
        MessageAction.CANCEL,
        {link.original_id: link.old_state for link in links},
        allowed=rules.resend_from,
        new_state=rules.cancel_to,
        zone=zone,
        of_job=True,
    )
    if {message.msg_id for message in messages} != {link.original_id for link in links}:
        raise RowsLost("Not every original was cancelled.")
    return frozenset(message.version for message in messages)


def _names_of_hub(cursor: Any) -> dict[str, str]:
    """Return what the marks of a statement are on an attached hub."""
    cursor.execute(statements.read_text("behind_message"), {})
    return {"{message}": cursor.fetchone()[0], **_OF_HUB}
