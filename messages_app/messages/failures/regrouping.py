"""
Takes groups of an earlier rule over to the present one, with their states, owners and notes.

A migration marks all groups. Then the task that groups failures gives each group its present identity, and
moves messages that are FAILED and have another cause to groups of their own, some thousand at a time. It runs
under the task's lock and in its transaction.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from messages_app.audit import services as audit
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.shared.failure_texts import Failure, KnownFailures, failure_of, first_line

statements = Statements("messages_app.messages.failures")
shared_statements = Statements("messages_app.shared")

# The kind of these groups in the audit log.
SUBJECT_KIND = "failure_group"

# Values of regroup_below: a group without its present identity, and one whose messages are not checked.
UNCHECKED = 2**63 - 1
_CHECKING = UNCHECKED - 1
_MAX_GROUPS, MAX_MESSAGES = 500, 2_000
# A FAILED message is searched among up to this many of the newest ones.
_FENCE = 50


class _Member(NamedTuple):
    """A message of a group, with its error if it is FAILED."""

    msg_id: int
    at: datetime
    text: str | None


def rename_groups() -> int:
    """Give groups of an earlier rule their present identity, and return how many were read."""
    values = {"unchecked": UNCHECKED, "fence": _FENCE, "most": _MAX_GROUPS}
    rows = statements.fetch_rows("old_groups", values)
    for group_id, *identity in rows:
        _rename_group(group_id, failure_of(*identity))
    return len(rows)


def _rename_group(group_id: int, failure: Failure) -> None:
    values = {
        "group_id": group_id,
        "fingerprint": failure.fingerprint,
        "summary": failure.summary,
        "unchecked": UNCHECKED,
        "checking": _CHECKING,
    }
    if statements.count("rename_group", values):
        return
    # Two groups of the earlier rule have one cause: the first one remains, with the notes of both.
    for (joined_id,) in statements.fetch_rows("join_descriptions", values):
        audit.record_entry(
            actor=SYSTEM,
            action="join_group",
            subject_kind=SUBJECT_KIND,
            subject=group_id,
            details={"joined": joined_id},
        )
    progress = {"group_id": group_id, "before": UNCHECKED, "below": _CHECKING}
    statements.count("set_regroup_below", progress)


def regroup_messages() -> int:
    """Move messages of one group of an earlier rule to their groups; return how many were checked."""
    row = next(iter(statements.fetch_rows("regroup_next", {})), None)
    if row is None:
        return 0
    group_id, service, operation, code, fingerprint, below = row
    values = {"group_id": group_id, "below": below, "most": MAX_MESSAGES}
    members = [_Member(*member) for member in statements.fetch_rows("regroup_members", values)]
    causes = KnownFailures()
    others: list[tuple[_Member, Failure]] = []
    for member in members:
        if member.text is not None:
            failure = causes.failure_of(service, operation, code, member.text)
            others += [(member, failure)] if failure.fingerprint != fingerprint else []
    if others:
        _move_messages(group_id, others)
    is_last = len(members) < MAX_MESSAGES
    progress = {"group_id": group_id, "before": below, "below": None if is_last else members[-1].msg_id}
    statements.count("set_regroup_below", progress)
    return max(len(members), 1)


def _move_messages(group_id: int, others: Sequence[tuple[_Member, Failure]]) -> None:
    """Move messages with their counts; groups that are created for them have the state of the old one."""
    by_kind: dict[Failure, list[_Member]] = defaultdict(list)
    for member, failure in others:
        by_kind[failure].append(member)
    fingerprints = [failure.fingerprint for failure in by_kind]
    rows = statements.fetch_rows("known_fingerprints", {"fingerprints": fingerprints})
    old_fingerprints = {fingerprint for (fingerprint,) in rows}
    ids: dict[str, int] = dict(shared_statements.fetch_rows("join_groups", group_columns(by_kind)))
    created = [ids[fingerprint] for fingerprint in fingerprints if fingerprint not in old_fingerprints]
    statements.count("inherit_review", {"group_id": group_id, "groups": created})
    groups = [ids[failure.fingerprint] for _, failure in others]
    messages, ats = [member.msg_id for member, _ in others], [member.at for member, _ in others]
    ones = [1] * len(others)
    # The old group loses the failures that the new ones get.
    counts = {
        "groups": groups + [group_id] * len(others),
        "ats": ats * 2,
        "failures": ones + [-1] * len(others),
    }
    shared_statements.count("join_minutes", counts)
    moved = statements.count("move_members", {"messages": messages, "groups": groups, "group_id": group_id})
    statements.count("drop_failures", {"failures": moved, "group_id": group_id})


class GroupedFailure(Protocol):
    """A failure of a group: its time and its error."""

    @property
    def at(self) -> datetime: ...

    @property
    def text(self) -> str | None: ...


def group_columns(by_kind: Mapping[Failure, Sequence[GroupedFailure]]) -> dict[str, Sequence[object]]:
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
