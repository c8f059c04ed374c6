"""
Every write to groups of failures: new failures join their groups, and people mark and describe a group.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.clock import database_clock
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    SETTABLE_STATES,
    FailureGroup,
    GroupState,
)
from messages_app.messages.failures.regrouping import (
    SUBJECT_KIND,
    group_columns,
    regroup_messages,
    rename_groups,
)
from messages_app.shared.failure_texts import Failure, KnownFailures

statements = Statements("messages_app.messages.failures")
shared_statements = Statements("messages_app.shared")

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


def describe_group(*, group_id: int, actor: audit.Actor, reason: str = "", **texts: str) -> FailureGroup:
    """
    Change the owner, ticket or note of a group, and return it after the change.

    Args:
        texts: any of `owner`, `ticket` and `note`. The others are kept.

    Raises:
        Problem: 400, a text is too long.
        GroupNotFound: no group has this id.
    """
    for name, text in texts.items():
        max_length = _MAX_LENGTHS[name]
        if len(text) > max_length or "\0" in text:
            raise bad_field(name, "too_long", f"{name} must have at most {max_length} characters.")
    with transaction.atomic():
        group = _lock_group(group_id)
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


# Grouping of new failures: a task does this every few seconds, one task at a time.
#
# Removing a failure from the waiting ones and counting it commit together, so each is counted once.


# A transaction handles up to this many failures, which takes about a second.
BATCH = 5_000
MINUTES_BATCH = 100_000


class WaitingFailure(NamedTuple):
    """A failure that is not in a group yet, with the columns of NewFailure."""

    msg_id: int
    at: datetime
    service_name: str
    operation_name: str
    failed_error_code: str
    text: str


def group_new_failures(*, batch: int = BATCH) -> int:
    """
    Put waiting failures into groups, and mark groups as known whose snooze has expired.

    Return the number of failures. If another process is grouping, stop.

    Args:
        batch: the maximum number of failures per transaction.
    """
    grouped = 0
    while (failures := _group_batch(batch)) is not None:
        grouped += failures
        if failures < batch:
            break
    return grouped


def rename_all_groups() -> None:
    """
    Give all groups of an earlier rule their present identity, before a job adds failures to groups.

    Wait for a process that is grouping.
    """
    with transaction.atomic():
        statements.only_row("wait_for_groups", {})
        while rename_groups():
            pass


def coarsen_minutes() -> int:
    """
    Replace some counts of old minutes by counts of hours and days, and return their number.

    Return 0 if another process is grouping.
    """
    with transaction.atomic():
        if not _lock_groups():
            return 0
        rows: int = statements.only_row("coarsen_minutes", {"most": MINUTES_BATCH})[0]
        return rows


def _lock_groups() -> bool:
    """Lock all groups until the transaction ends; return False if another transaction has the lock."""
    is_locked: bool = statements.only_row("lock_groups", {})[0]
    return is_locked


def _group_batch(batch: int) -> int | None:
    """Return the number of failures that were grouped; None if another process is grouping."""
    with transaction.atomic():
        if not _lock_groups():
            return None
        # First, so that new failures join the groups of an earlier rule.
        if not rename_groups():
            regroup_messages()
        failures = [WaitingFailure(*row) for row in statements.rows("take_failures", {"most": batch})]
        if failures:
            _count_failures(failures)
        ended = statements.rows("end_snoozes", {})
        _record_change("wake_group", GroupState.SNOOZED, GroupState.KNOWN, ended)
        return len(failures)


def _count_failures(failures: Sequence[WaitingFailure]) -> None:
    known = KnownFailures()
    kinds = [
        known.failure_of(one.service_name, one.operation_name, one.failed_error_code, one.text)
        for one in failures
    ]
    by_kind: dict[Failure, list[WaitingFailure]] = defaultdict(list)
    for kind, failure in zip(kinds, failures, strict=True):
        by_kind[kind].append(failure)
    ids: dict[str, int] = dict(shared_statements.rows("join_groups", group_columns(by_kind)))
    members = {
        "messages": [failure.msg_id for failure in failures],
        "groups": [ids[kind.fingerprint] for kind in kinds],
        "ats": [failure.at for failure in failures],
    }
    shared_statements.count("join_minutes", {**members, "failures": [1] * len(failures)})
    statements.count("join_members", members)
    regressed = statements.rows("regress", {"groups": list(ids.values())})
    _record_change("regress_group", GroupState.FIXED, GroupState.REGRESSED, regressed)


def _record_change(action: str, before: GroupState, after: GroupState, rows: Iterable[tuple[int]]) -> None:
    for (group_id,) in rows:
        audit.record_entry(
            actor=SYSTEM,
            action=action,
            subject_kind=SUBJECT_KIND,
            subject=group_id,
            before_state=before,
            after_state=after,
        )
