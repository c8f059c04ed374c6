"""
New failures join their groups: a pass every few seconds, one at a time, each in one transaction.

What it takes and what it counts commits together, so each failure is counted once. Source:
docs/decisions/0009-failure-groups.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.messages.failures.states import GroupState
from messages_app.shared.failure_texts import Failure, failure_of

statements = Statements("messages_app.messages.failures")
shared_statements = Statements("messages_app.shared")

# A pass takes so many at a time: a second's work.
MOST = 5_000
MOST_MINUTES = 100_000


class Taken(NamedTuple):
    """A failure that was waiting, with the columns of NewFailure."""

    msg_id: int
    at: datetime
    service_name: str
    operation_name: str
    failed_error_code: str
    text: str


def join(*, most: int = MOST) -> int:
    """Put waiting failures into groups, and return how many there were; wake groups that slept enough."""
    joined = 0
    while (found := _join_some(most)) is not None:
        joined += found
        if found < most:
            break
    return joined


def coarsen() -> int:
    """Make hours and days of old minutes, some at a time; return how many there were, none next to a pass."""
    with transaction.atomic():
        (is_ours,) = statements.only_row("lock_groups", {})
        if not is_ours:
            return 0
        rows: int = statements.only_row("coarsen_minutes", {"most": MOST_MINUTES})[0]
        return rows


def _join_some(most: int) -> int | None:
    """Return how many there were; None where another pass is in progress."""
    with transaction.atomic():
        (is_ours,) = statements.only_row("lock_groups", {})
        if not is_ours:
            return None
        taken = [Taken(*row) for row in statements.rows("take_failures", {"most": most})]
        if taken:
            _count(taken)
        _note("wake_group", GroupState.SNOOZED, GroupState.KNOWN, statements.rows("wake", {}))
        return len(taken)


def _count(taken: Sequence[Taken]) -> None:
    kinds = [failure_of(*one[2:]) for one in taken]
    alike: dict[Failure, list[Taken]] = defaultdict(list)
    for kind, one in zip(kinds, taken, strict=True):
        alike[kind].append(one)
    ids: dict[str, int] = dict(shared_statements.rows("join_groups", _groups(alike)))
    failed = {
        "messages": [one.msg_id for one in taken],
        "groups": [ids[kind.fingerprint] for kind in kinds],
        "ats": [one.at for one in taken],
    }
    shared_statements.count("join_minutes", failed)
    statements.count("join_members", failed)
    regressed = statements.rows("regress", {"groups": list(ids.values())})
    _note("regress_group", GroupState.FIXED, GroupState.REGRESSED, regressed)


def _groups(alike: dict[Failure, list[Taken]]) -> dict[str, Sequence[object]]:
    """Return the arguments of join_groups.sql: a list a column."""
    newest = [max(found, key=lambda one: one.at) for found in alike.values()]
    return {
        "fingerprints": [kind.fingerprint for kind in alike],
        "services": [kind.service_name for kind in alike],
        "operations": [kind.operation_name for kind in alike],
        "codes": [kind.failed_error_code for kind in alike],
        "summaries": [kind.summary for kind in alike],
        "examples": [one.text.lstrip().partition("\n")[0] for one in newest],
        "failures": [len(found) for found in alike.values()],
        "firsts": [min(one.at for one in found) for found in alike.values()],
        "lasts": [one.at for one in newest],
    }


def _note(action: str, before: GroupState, after: GroupState, rows: Iterable[tuple[int]]) -> None:
    for (group_id,) in rows:
        audit.record(
            actor=SYSTEM,
            action=action,
            subject_kind="failure_group",
            subject=group_id,
            before_state=before,
            after_state=after,
        )
