"""
Grouping of new failures: a task does this every few seconds, one task at a time.

Removing a failure from the waiting ones and counting it commit together, so each is counted once.
Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.messages.failures.models import SUBJECT_KIND, GroupState
from messages_app.shared.failure_texts import Failure, KnownFailures, first_line

shared_statements = Statements("messages_app.shared")
statements = Statements("messages_app.messages.failures")


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
        failures = [WaitingFailure(*row) for row in statements.fetch_rows("take_failures", {"most": batch})]
        if failures:
            _count_failures(failures)
        ended = statements.fetch_rows("end_snoozes", {})
        _record_change("wake_group", GroupState.SNOOZED, GroupState.KNOWN, ended)
        return len(failures)


def _count_failures(failures: Sequence[WaitingFailure]) -> None:
    causes = KnownFailures()
    kinds = [
        causes.failure_of(one.service_name, one.operation_name, one.failed_error_code, one.text)
        for one in failures
    ]
    by_kind: dict[Failure, list[WaitingFailure]] = defaultdict(list)
    for kind, failure in zip(kinds, failures, strict=True):
        by_kind[kind].append(failure)
    ids: dict[str, int] = dict(shared_statements.fetch_rows("join_groups", _group_columns(by_kind)))
    members = {
        "messages": [failure.msg_id for failure in failures],
        "groups": [ids[kind.fingerprint] for kind in kinds],
        "ats": [failure.at for failure in failures],
    }
    shared_statements.count("join_minutes", {**members, "failures": [1] * len(failures)})
    statements.count("join_members", members)
    regressed = statements.fetch_rows("regress", {"groups": list(ids.values())})
    _record_change("regress_group", GroupState.FIXED, GroupState.REGRESSED, regressed)


def _group_columns(by_kind: Mapping[Failure, Sequence[WaitingFailure]]) -> dict[str, Sequence[object]]:
    """Return the arguments of join_groups.sql: one list for each column."""
    newest = [max(failures, key=lambda failure: failure.at) for failures in by_kind.values()]
    return {
        "fingerprints": [kind.fingerprint for kind in by_kind],
        "services": [kind.service_name for kind in by_kind],
        "operations": [kind.operation_name for kind in by_kind],
        "codes": [kind.failed_error_code for kind in by_kind],
        "summaries": [kind.summary for kind in by_kind],
        "examples": [first_line(failure.text) for failure in newest],
        "failures": [len(failures) for failures in by_kind.values()],
        "firsts": [min(failure.at for failure in failures) for failures in by_kind.values()],
        "lasts": [failure.at for failure in newest],
    }


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
