"""
All writes to the hub's tables for one operator: cancel and restart of one message.

Each write is one conditional statement whose row count decides, and commits together with its audit entry.
The hub writes the same rows at the same time and wins every race.

Source: docs/contributing/spec/cleverbus.md, "Restart and cancel"; docs/contributing/spec/promises.md, I-1 to
I-9.
"""

import json
from collections.abc import Callable, Collection, Mapping

from django.conf import settings
from django.db import connection, transaction

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.messages.attachment import (
    Feature,
    hub_time_zone,
    refusal_of,
    refuse_if_attached,
    rules_of_hub,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.tables import MessageNotFound, locate_message
from messages_app.shared.message_states import RULE_SETS, MessageAction, RuleSet
from messages_app.shared.state_changes import change_states, delete_calls, find_resent

statements = Statements("messages_app.messages")


class ActionRefused(Exception):
    """The action is not allowed now; nothing was changed."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


class StateConflict(ActionRefused):
    """The rules do not allow the action in the message's current state."""


class ExpectedStateNotMet(ActionRefused):
    """The message is no longer in the expected state."""


class MessageArchived(ActionRefused):
    """The message is in the archive, where messages cannot be cancelled or restarted."""


class AlreadyResent(ActionRefused):
    """The message was corrected and resent before, as the message `resent_as`."""

    def __init__(self, text: str, *, current_state: str, resent_as: int) -> None:
        super().__init__(text, current_state=current_state)
        self.resent_as = resent_as


class HeldByJob(ActionRefused):
    """
    The active job `job_id` still has to process the message.

    Source: docs/contributing/spec/promises.md, I-32.
    """

    def __init__(self, text: str, *, current_state: str, job_id: int) -> None:
        super().__init__(text, current_state=current_state)
        self.job_id = job_id


def hub_rules() -> RuleSet:
    """Return the rule set of the hub: from the setting HUB_RULES, or that of the attached hub."""
    return RULE_SETS[settings.HUB_RULES or rules_of_hub(connection.settings_dict["NAME"])]


def allowed_actions(message: MessageColumns) -> list[MessageAction]:
    """
    Return the actions that the hub's rules allow in the state of the message; none in the archive, or if the
    console may not change the tables of an attached hub.
    """
    if isinstance(message, ArchiveMessage) or refusal_of(Feature.ACT):
        return []
    return hub_rules().allowed_actions(message.state)


def cancel_message(
    *, msg_id: int, actor: audit.Actor, reason: str, expected_state: str | None = None
) -> Message:
    """
    Cancel a message, and return it after the change, without its payload and envelope.

    Only the state changes, as in the hub, which also keeps last_process_timestamp.
    Source: docs/contributing/spec/cleverbus.md, "Restart and cancel" (row "cancel effect").

    Raises:
        MessageNotFound, MessageArchived: no live message has this id.
        StateConflict: the rules do not allow a cancel in its state.
        ExpectedStateNotMet: it is not in `expected_state`.
        HeldByJob: an active job has it.
        NotAttachedForThis: the console lacks a right on the table of an attached hub.
        django.db.OperationalError: its row was locked for longer than lock_timeout.
    """
    return _change_state(
        MessageAction.CANCEL, msg_id=msg_id, actor=actor, reason=reason, expected_state=expected_state
    )


def restart_message(
    *,
    msg_id: int,
    actor: audit.Actor,
    reason: str,
    total: bool = False,
    also_resent: bool = False,
    expected_state: str | None = None,
) -> Message:
    """
    Hand a message back to the hub for another attempt, and return it after the change.

    Its confirmations, and with `total` all its external calls, are deleted so that they are repeated; the
    audit entry keeps the deleted rows. failed_count and the last error stay, as in the hub.
    Source: docs/contributing/spec/cleverbus.md, "Restart and cancel" (rows "restart effect" to "total
    restart").

    Args:
        also_resent: also a message that was corrected and resent; the hub then processes both.

    Raises:
        AlreadyResent: it was corrected and resent.
        others: as cancel_message.
    """
    return _change_state(
        MessageAction.RESTART,
        msg_id=msg_id,
        actor=actor,
        reason=reason,
        expected_state=expected_state,
        spares_resent=not also_resent,
        follow=lambda: _repeat_calls(msg_id=msg_id, total=total),
    )


def _change_state(
    action: MessageAction,
    *,
    msg_id: int,
    actor: audit.Actor,
    reason: str,
    expected_state: str | None,
    spares_resent: bool = False,
    follow: Callable[[], Mapping[str, object]] = dict,
) -> Message:
    """
    Change the state, or record the refusal and raise it.

    Args:
        follow: makes the other changes of the action, and returns the details for the audit entry.
    """
    refuse_if_attached(Feature.ACT)
    with transaction.atomic():
        name_actor(actor)
        before_state = _update_state(
            action, msg_id=msg_id, expected_state=expected_state, spares_resent=spares_resent
        )
        if before_state is not None:
            audit.record_entry(
                actor=actor,
                action=action,
                msg_id=msg_id,
                before_state=before_state,
                after_state=hub_rules().leads_to(action),
                reason=reason,
                details=follow(),
            )
            # Read while this transaction locks the row: after the commit, an archive job may move it.
            return Message.objects.defer("payload", "envelope").get(pk=msg_id)
        refusal = find_refusal(
            action,
            allowed=hub_rules().allowed_from(action),
            msg_id=msg_id,
            expected_state=expected_state,
            spares_resent=spares_resent,
        )
        if isinstance(refusal, ActionRefused):
            record_refusal(refusal, action=action, msg_id=msg_id, actor=actor, reason=reason)
    raise refusal


def name_actor(actor: audit.Actor) -> None:
    """Set the actor for the trigger that writes the state history."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hubconsole.actor', %s, true)", [actor.username])


def _update_state(
    action: MessageAction, *, msg_id: int, expected_state: str | None, spares_resent: bool
) -> str | None:
    """Change the state if the rules allow it; return the previous state, None if nothing was changed."""
    with connection.cursor() as cursor:
        messages = change_states(
            cursor,
            action,
            {msg_id: expected_state},
            allowed=hub_rules().allowed_from(action),
            new_state=hub_rules().leads_to(action),
            zone=hub_time_zone(),
            of_job=False,
            spares_resent=spares_resent,
        )
    return messages[0].old_state if messages else None


def _repeat_calls(*, msg_id: int, total: bool) -> dict[str, object]:
    """Delete the calls that a restart repeats, and return the details for the audit entry."""
    with connection.cursor() as cursor:
        calls = delete_calls(cursor, [msg_id], total=total)
    return {"total": total, "deleted_external_calls": [json.loads(text) for text in calls]}


def find_refusal(
    action: str,
    *,
    allowed: Collection[str],
    msg_id: int,
    expected_state: str | None,
    spares_resent: bool = False,
) -> ActionRefused | MessageNotFound:
    """
    Return why an action changed nothing, from the current row.

    Args:
        allowed: the states in which the rules of the hub allow the action.
        spares_resent: the action leaves out messages that were corrected and resent.
    """
    try:
        message, is_archived = locate_message(msg_id, lambda rows: rows.only("state"))
    except MessageNotFound as error:
        return error
    state = message.state
    if is_archived:
        return MessageArchived(f"Message {msg_id} is archived: restore it first.", current_state=state)
    if expected_state is not None and state != expected_state:
        return ExpectedStateNotMet(f"Message {msg_id} is {state}, not {expected_state}.", current_state=state)
    if state in allowed and (job_id := _job_holding(msg_id)) is not None:
        text = f"Message {msg_id} is waiting in job {job_id}."
        return HeldByJob(text, current_state=state, job_id=job_id)
    if spares_resent and state in allowed and (resent_as := resent_as_of([msg_id]).get(msg_id)) is not None:
        text = (
            f"Message {msg_id} was corrected and resent as message {resent_as}. After a {action}, the hub"
            " would process both: allow that with also_resent."
        )
        return AlreadyResent(text, current_state=state, resent_as=resent_as)
    states = ", ".join(sorted(allowed))
    return StateConflict(
        f"Message {msg_id} is {state}; {action} is possible only from {states}.", current_state=state
    )


def resent_as_of(msg_ids: Collection[int]) -> dict[int, int]:
    """Return the messages that were corrected and resent, with the ids of the new messages."""
    with connection.cursor() as cursor:
        return find_resent(cursor, msg_ids)


def _job_holding(msg_id: int) -> int | None:
    job_id: int | None = statements.only_row("job_holding", {"msg_id": msg_id})[0]
    return job_id


def record_refusal(
    refusal: ActionRefused, *, action: str, msg_id: int, actor: audit.Actor, reason: str
) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        outcome=AuditEntry.Outcome.REFUSED,
        msg_id=msg_id,
        before_state=refusal.current_state,
        reason=reason,
        details={"refusal": str(refusal)},
    )
