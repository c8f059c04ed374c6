"""What people say of a group of failures: every write to one but the pass's own. Each is audited."""

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.core.problems import bad_field
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.states import SAID_STATES, GroupState

# The kind of these groups in the audit log.
SUBJECT_KIND = "failure_group"

MAX_NOTE = 20_000
MAX_OWNER = 150
MAX_TICKET = 200
_MAX = {"owner": MAX_OWNER, "ticket": MAX_TICKET, "note": MAX_NOTE}


class GroupNotFound(Exception):
    """There is no such group of failures."""


class GroupConflict(Exception):
    """The group is in that state already; `current_state` is the one it is in."""

    def __init__(self, current_state: str) -> None:
        super().__init__(f"The group is now {current_state}.")
        self.current_state = current_state


class ExpectedStateNotMet(GroupConflict):
    """The group is in another state than the one it was seen in."""


def mark_group(
    *,
    group_id: int,
    state: GroupState,
    actor: audit.Actor,
    reason: str,
    snoozed_until: datetime | None = None,
    expected_state: str | None = None,
) -> FailureGroup:
    """
    Say that a group is known, snoozed until a time, or fixed.

    Raises:
        Problem: 400, with the field at fault.
        GroupNotFound: there is none of this id.
        GroupConflict: it is in that state already.
        ExpectedStateNotMet: it is not in `expected_state`.
    """
    _check_state(state, snoozed_until)
    with transaction.atomic():
        group = _locked(group_id)
        if expected_state not in (None, group.state):
            raise ExpectedStateNotMet(group.state)
        if state == group.state != GroupState.SNOOZED:
            raise GroupConflict(group.state)
        FailureGroup.objects.filter(pk=group_id).update(
            state=state, state_at=Now(), snoozed_until=snoozed_until
        )
        audit.record(
            actor=actor,
            action="mark_group",
            subject_kind=SUBJECT_KIND,
            subject=group_id,
            before_state=group.state,
            after_state=state,
            reason=reason,
            details={"snoozed_until": snoozed_until.isoformat()} if snoozed_until else {},
        )
    return FailureGroup.objects.get(pk=group_id)


def describe_group(*, group_id: int, actor: audit.Actor, reason: str = "", **said: str) -> FailureGroup:
    """
    Write who looks after a group, its ticket, its note; the ones that are not named stay.

    Args:
        said: any of owner, ticket, note.

    Raises:
        Problem: 400, one of them is too long.
        GroupNotFound: there is none of this id.
    """
    for name, text in said.items():
        if len(text) > _MAX[name] or "\0" in text:
            raise bad_field(name, "too_long", f"{name} must have at most {_MAX[name]} characters.")
    with transaction.atomic():
        group = _locked(group_id)
        changed = {name: text for name, text in said.items() if getattr(group, name) != text}
        if changed:
            before = {f"old_{name}": getattr(group, name) for name in changed}
            FailureGroup.objects.filter(pk=group_id).update(**changed)
            audit.record(
                actor=actor,
                action="describe_group",
                subject_kind=SUBJECT_KIND,
                subject=group_id,
                reason=reason,
                details=changed | before,
            )
    return FailureGroup.objects.get(pk=group_id)


def _check_state(state: str, snoozed_until: datetime | None) -> None:
    if state not in SAID_STATES:
        raise bad_field("state", "invalid_value", f"state must be one of {', '.join(sorted(SAID_STATES))}.")
    if (state == GroupState.SNOOZED) != (snoozed_until is not None):
        raise bad_field("snoozed_until", "required", "snoozed_until is allowed only with the state snoozed.")
    if snoozed_until is not None and snoozed_until <= database_clock():
        raise bad_field("snoozed_until", "out_of_range", "snoozed_until must be in the future.")


def _locked(group_id: int) -> FailureGroup:
    group = FailureGroup.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise GroupNotFound(f"No group of failures has the id {group_id}.")
    return group
