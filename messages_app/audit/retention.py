"""
Removal of audit entries after their retention, in complete sealed spans. Each span leaves a tombstone.

Only the owner of the tables can do this; the console's role cannot.

Source: docs/contributing/spec/promises.md, S-49, S-58.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, Min, QuerySet, Sum

from messages_app.audit import services as audit
from messages_app.audit.models import AuditSeal
from messages_app.audit.seals import Covered
from messages_app.audit.verification import put_tombstone
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock

statements = Statements("messages_app.audit")
_FORGETTING = TransactionLock("hubconsole audit_tombstone")


# The maximum number of entries in one transaction and under one tombstone.
MAX_FORGOTTEN = 50_000


class CannotForget(Exception):
    """No more entries can be removed. The message says why."""


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """The entries that were removed or would be: the first and last id, and the number of seals."""

    entries: int = 0
    seals: int = 0
    first_id: int | None = None
    last_id: int | None = None

    def with_more(self, seals: Sequence[AuditSeal]) -> "Forgotten":
        return Forgotten(
            entries=self.entries + sum(one.entries for one in seals),
            seals=self.seals + len(seals),
            first_id=self.first_id or seals[0].first_id,
            last_id=seals[-1].last_id,
        )


def would_forget(*, older_than_months: int) -> Forgotten:
    """Return the entries that `forget_entries` would remove now."""
    sums = _old_seals(older_than_months).aggregate(
        entries=Sum("entries", default=0), seals=Count("*"), first_id=Min("first_id"), last_id=Max("last_id")
    )
    return Forgotten(**sums)


def forget_entries(*, older_than_months: int, actor: audit.Actor, most: int = MAX_FORGOTTEN) -> Forgotten:
    """
    Remove the entries under all seals that are older than the limit, up to `most` in each transaction.

    Each transaction leaves a tombstone and an audit entry. Entries that do not match their seal are evidence,
    so they are kept, with all newer entries.

    Raises:
        CannotForget: the role has no permission, another process is removing entries, or entries do not match
            their seal.
    """
    _check_role()
    forgotten = Forgotten()
    while seals := _forget_some(older_than_months, actor, most):
        forgotten = forgotten.with_more(seals)
    return forgotten


def _check_role() -> None:
    role, is_allowed = statements.only_row("may_forget", {})
    if not is_allowed:
        text = (
            f"The role {role} has no permission to remove entries of the audit log. Run this as the owner "
            "of the tables."
        )
        raise CannotForget(text)


@transaction.atomic
def _forget_some(months: int, actor: audit.Actor, most: int) -> list[AuditSeal]:
    if not _FORGETTING.try_acquire():
        raise CannotForget("Another process is removing entries of the audit log.")
    seals = list(_first_of(_old_seals(months).iterator(), most))
    if not seals:
        return []
    covered = Covered.read()
    _check_seals(seals, covered, months)
    stone = put_tombstone(seals)
    if statements.count("remove_entries", _values_of(seals, covered)) != stone.entries:
        raise _not_as_sealed(seals[0])
    details = {
        "entries": stone.entries,
        "first_entry": stone.first_id,
        "last_entry": stone.last_id,
        "first_seal": stone.first_seal,
        "last_seal": stone.last_seal,
        "older_than_months": months,
    }
    audit.record_entry(actor=actor, action="forget_audit", details=details)
    return seals


def _old_seals(months: int) -> QuerySet[AuditSeal]:
    first, end = statements.only_row("old_seals", {"months": months})
    return AuditSeal.objects.filter(seal_id__gte=first, seal_id__lt=end).order_by("seal_id")


def _first_of(seals: Iterable[AuditSeal], most: int) -> Iterator[AuditSeal]:
    """Yield the first seal, and further ones as long as they have at most `most` entries in total."""
    entries = 0
    for one in seals:
        if entries and entries + one.entries > most:
            return
        entries += one.entries
        yield one


def _check_seals(seals: Sequence[AuditSeal], covered: Covered, months: int) -> None:
    previous, expected = _digest_before(seals[0]), seals[0].seal_id
    for one in seals:
        values = _values_of([one], covered) | {"months": months}
        (are_old,) = statements.only_row("are_old", values)
        if one.seal_id != expected or not covered.is_intact(one, previous) or not are_old:
            raise _not_as_sealed(one)
        previous, expected = one.digest, expected + 1


def _digest_before(one: AuditSeal) -> str:
    """Return the digest of the previous seal; empty for the first seal, or if the previous one is missing."""
    before = AuditSeal.objects.filter(seal_id=one.seal_id - 1).values_list("digest", flat=True)
    return before.first() or ""


def _values_of(seals: Sequence[AuditSeal], covered: Covered) -> dict[str, object]:
    """Return the values that select the entries under consecutive seals."""
    return {
        "first_id": seals[0].first_id,
        "last_id": seals[-1].last_id,
        "elsewhere": covered.ids_elsewhere(seals[0], seals[-1]),
        "late": [entry_id for one in seals for entry_id in one.late or ()],
    }


def _not_as_sealed(one: AuditSeal) -> CannotForget:
    return CannotForget(
        f"Entries {one.first_id} to {one.last_id} do not match their seal (seal {one.seal_id})."
        " These and all newer entries are kept; see verify_audit."
    )
