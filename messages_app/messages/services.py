"""
Every write to the hub's tables on behalf of one operator: cancel and restart of one message.

Each is one conditional statement whose row count decides; change and audit entry commit together. The hub
writes the same rows meanwhile and wins every race.

Source: docs/spec/cleverbus.md, "Restart and cancel"; docs/spec/promises.md, I-1 to I-9.
"""

import json

from django.conf import settings
from django.db import connection, transaction

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.location import MessageNotFound, locate
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.message_states import CONFIRMATION_OPERATION, RULE_SETS, MessageAction, RuleSet

statements = Statements("messages_app.messages")
shared_statements = Statements("messages_app.shared")


class ActionRefused(Exception):
    """The message may not be changed as asked; nothing was changed."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


class StateConflict(ActionRefused):
    """The rules do not allow the action in the message's current state."""


class ExpectedStateNotMet(ActionRefused):
    """The message is no longer in the state that the caller saw."""


class MessageArchived(ActionRefused):
    """The message is in the archive, where nothing is cancelled or restarted."""


class HeldByJob(ActionRefused):
    """
    An active job has the message and has yet to come to it: `job_id`.

    Source: docs/spec/promises.md, I-32.
    """

    def __init__(self, text: str, *, current_state: str, job_id: int) -> None:
        super().__init__(text, current_state=current_state)
        self.job_id = job_id


def rules() -> RuleSet:
    """Return the rule set of the hub that this console works on (setting HUB_RULES)."""
    return RULE_SETS[settings.HUB_RULES]


def allowed_actions(message: MessageColumns) -> list[MessageAction]:
    """Return what the hub's rules allow in the message's state; nothing in the archive."""
    return [] if isinstance(message, ArchiveMessage) else rules().allowed_actions(message.state)


def cancel_message(
    *, msg_id: int, actor: audit.Actor, reason: str, expected_state: str | None = None
) -> Message:
    """
    Cancel a message, and return it as the commit leaves it, its payload and envelope not read.

    Only the state changes: the hub leaves last_process_timestamp alone as well.
    Source: docs/spec/cleverbus.md, "Restart and cancel" (row "cancel effect").

    Raises:
        MessageNotFound, MessageArchived: no live message has this id.
        StateConflict: the rules do not allow a cancel in its state.
        ExpectedStateNotMet: it is not in `expected_state`.
        HeldByJob: an active job has it.
        django.db.OperationalError: its row stayed locked for longer than lock_timeout.
    """
    return _act(
        MessageAction.CANCEL, msg_id=msg_id, actor=actor, reason=reason, expected_state=expected_state
    )


def restart_message(
    *, msg_id: int, actor: audit.Actor, reason: str, total: bool = False, expected_state: str | None = None
) -> Message:
    """
    Hand a message back to the hub for another attempt, and return it as the commit leaves it.

    Deletes the message's confirmations, with `total` all its external calls, so that they are made again;
    the audit entry keeps the deleted rows. failed_count and the last error stay, as in the hub.
    Source: docs/spec/cleverbus.md, "Restart and cancel" (rows "restart effect" to "total restart").

    Raises: as cancel_message.
    """
    return _act(
        MessageAction.RESTART,
        msg_id=msg_id,
        actor=actor,
        reason=reason,
        expected_state=expected_state,
        total=total,
    )


def _act(
    action: MessageAction,
    *,
    msg_id: int,
    actor: audit.Actor,
    reason: str,
    expected_state: str | None,
    total: bool = False,
) -> Message:
    with transaction.atomic():
        _name_actor(actor)
        old_state = _move(action, msg_id=msg_id, expected_state=expected_state)
        refusal = None
        details: dict[str, object] = {}
        if old_state is None:
            refusal = _refusal(action, msg_id=msg_id, expected_state=expected_state)
        elif action is MessageAction.RESTART:
            details = {"total": total, "deleted_external_calls": _delete_calls(msg_id=msg_id, total=total)}
        _record(
            action,
            msg_id=msg_id,
            actor=actor,
            reason=reason,
            old_state=old_state,
            refusal=refusal,
            details=details,
        )
        # Read while we hold the row: once committed, an archive job may take it away.
        message = Message.objects.defer("payload", "envelope").filter(pk=msg_id).first()
    if refusal is not None:
        raise refusal
    return message


def _name_actor(actor: audit.Actor) -> None:
    """Tell the trigger that writes the state history who changes the state."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hubconsole.actor', %s, true)", [actor.username])


def _move(action: MessageAction, *, msg_id: int, expected_state: str | None) -> str | None:
    """Change the state if the rules allow it; return the state it had, None if nothing was changed."""
    allowed = rules().allowed_from(action)
    if expected_state is not None:
        allowed = allowed & {expected_state}
    with connection.cursor() as cursor:
        cursor.execute(
            statements.text(f"{action}_message"),
            {"msg_id": msg_id, "allowed": sorted(allowed), "to_state": rules().leads_to(action)},
        )
        row = cursor.fetchone()
    return row[0] if row else None


def _delete_calls(*, msg_id: int, total: bool) -> list[dict[str, object]]:
    with connection.cursor() as cursor:
        cursor.execute(
            shared_statements.text("delete_external_calls"),
            {"msg_ids": [msg_id], "operation_name": None if total else CONFIRMATION_OPERATION},
        )
        return [json.loads(row[0]) for row in cursor]


def _refusal(action: MessageAction, *, msg_id: int, expected_state: str | None) -> Exception:
    """Return why nothing was changed, from what the row says now."""
    try:
        message, is_archived = locate(msg_id, lambda rows: rows.only("state"))
    except MessageNotFound as error:
        return error
    state = message.state
    if is_archived:
        return MessageArchived(f"Message {msg_id} is archived: restore it first.", current_state=state)
    if expected_state is not None and state != expected_state:
        return ExpectedStateNotMet(f"Message {msg_id} is {state}, not {expected_state}.", current_state=state)
    if state in rules().allowed_from(action) and (job_id := _job_holding(msg_id)) is not None:
        text = f"Message {msg_id} is waiting in job {job_id}."
        return HeldByJob(text, current_state=state, job_id=job_id)
    allowed = ", ".join(sorted(rules().allowed_from(action)))
    return StateConflict(
        f"Message {msg_id} is {state}; {action} is possible only from {allowed}.", current_state=state
    )


def _job_holding(msg_id: int) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(statements.text("job_holding"), {"msg_id": msg_id})
        return cursor.fetchone()[0]


def _record(
    action: MessageAction,
    *,
    msg_id: int,
    actor: audit.Actor,
    reason: str,
    old_state: str | None,
    refusal: Exception | None,
    details: dict[str, object],
) -> None:
    if isinstance(refusal, MessageNotFound):
        return  # no target, nothing to remember
    if refusal is not None:
        audit.record(
            actor=actor,
            action=action,
            outcome=AuditEntry.Outcome.REFUSED,
            msg_id=msg_id,
            before_state=refusal.current_state,
            reason=reason,
            details={"refusal": str(refusal)},
        )
        return
    audit.record(
        actor=actor,
        action=action,
        msg_id=msg_id,
        before_state=old_state,
        after_state=rules().leads_to(action),
        reason=reason,
        details=details,
    )
