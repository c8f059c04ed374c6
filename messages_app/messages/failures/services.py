"""The changes of users to groups of failures: they mark and describe a group.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.core.undo import UNDONE
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    SETTABLE_STATES,
    SUBJECT_KIND,
    FailureGroup,
    GroupState,
)

statements = Statements("messages_app.messages.failures")

_MAX_LENGTHS = {"owner": MAX_OWNER, "ticket": MAX_TICKET, "note": MAX_NOTE}


class GroupNotFound(Exception):
    """No group of failures has this id."""

    def __init__(self, group_id: int) -> None:
        super().__init__(f"No group of failures has the id {group_id}.")


class GroupConflict(Exception):
    """The group is already in the requested state, which is `current_state`."""

    def __init__(self, current_state: str) -> None:
        super().__init__(f"The group is now {current_state}.")
        self.current_state = current_state


class ExpectedStateNotMet(GroupConflict):
    """The group is no longer in the expected state."""


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
    Mark a group as known, snoozed until a time, or fixed, and return it after the change.

    Raises:
        Problem: 400, with the invalid field.
        GroupNotFound: no group has this id.
        GroupConflict: it is already in this state. A snoozed group can be snoozed again.
        ExpectedStateNotMet: it is not in `expected_state`.
    """
    _check_state(state, snoozed_until)
    with transaction.atomic():
        group = _lock_group(group_id)
        if expected_state not in (None, group.state):
            raise ExpectedStateNotMet(group.state)
        if state == group.state != GroupState.SNOOZED:
            raise GroupConflict(group.state)
        FailureGroup.objects.filter(pk=group_id).update(
            state=state, state_at=Now(), snoozed_until=snoozed_until
        )
        audit.record_entry(
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


def undo_mark(
    *,
    group_id: int,
    state: str,
    moment: datetime,
    former: str,
    former_at: datetime,
    former_until: datetime | None,
    actor: audit.Actor,
) -> None:
    """
    Give a group back the status that it had before a user marked it.

    Args:
        state, moment: the status that the user gave it, and when.
        former, former_at, former_until: the status before, since when, and the end of its snooze.

    Raises:
        GroupNotFound: no group has this id.
        GroupConflict: it has another status since then, or has failed since it was fixed.
    """
    values = {
        "group_id": group_id,
        "state": state,
        "moment": moment,
        "former": former,
        "former_at": former_at,
        "former_until": former_until,
    }
    with transaction.atomic():
        group = _lock_group(group_id)
        if not statements.count("undo_mark", values):
            raise GroupConflict(group.state)
        audit.record_entry(
            actor=actor,
            action="mark_group",
            subject_kind=SUBJECT_KIND,
            subject=group_id,
            before_state=state,
            after_state=former,
            reason=UNDONE,
            details={"snoozed_until": former_until.isoformat()} if former_until else {},
        )


def read_version(group: FailureGroup) -> str:
    """Return the version of a group, for `describe_group`."""
    return version_of(group, _MAX_LENGTHS)


def describe_group(
    *, group_id: int, actor: audit.Actor, reason: str = "", version: str | None = None, **texts: str
) -> FailureGroup:
    """
    Change the owner, ticket or note of a group, and return it after the change.

    Args:
        version: of the group that the caller has seen; None: it is not compared.
        texts: any of `owner`, `ticket` and `note`. The others are kept.

    Raises:
        EditConflict: it has another version.
        Problem: 400, a text is too long.
        GroupNotFound: no group has this id.
    """
    for name, text in texts.items():
        max_length = _MAX_LENGTHS[name]
        if len(text) > max_length or "\0" in text:
            raise bad_field(name, "too_long", f"{name} must have at most {max_length} characters.")
    with transaction.atomic():
        group = _lock_group(group_id)
        check_version(version, read_version(group))
        changed = {name: text for name, text in texts.items() if getattr(group, name) != text}
        if changed:
            before = {f"old_{name}": getattr(group, name) for name in changed}
            FailureGroup.objects.filter(pk=group_id).update(**changed)
            audit.record_entry(
                actor=actor,
                action="describe_group",
                subject_kind=SUBJECT_KIND,
                subject=group_id,
                reason=reason,
                details=changed | before,
            )
    return FailureGroup.objects.get(pk=group_id)


def _check_state(state: str, snoozed_until: datetime | None) -> None:
    if state not in SETTABLE_STATES:
        allowed = ", ".join(sorted(SETTABLE_STATES))
        raise bad_field("state", "invalid_value", f"state must be one of {allowed}.")
    if (state == GroupState.SNOOZED) != (snoozed_until is not None):
        raise bad_field("snoozed_until", "required", "snoozed_until is allowed only with the state snoozed.")
    if snoozed_until is not None and snoozed_until <= database_clock():
        raise bad_field("snoozed_until", "out_of_range", "snoozed_until must be in the future.")


def _lock_group(group_id: int) -> FailureGroup:
    group = FailureGroup.objects.select_for_update().filter(pk=group_id).first()
    if group is None:
        raise GroupNotFound(group_id)
    return group
