"""The seal of one entry of the audit log."""

from dataclasses import dataclass
from datetime import datetime

from messages_app.audit.models import AuditEntry, AuditSeal


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """
    The seal that covers an entry.

    Args:
        seal_id, sealed_at: of the seal; None: no seal covers the entry yet.
        is_late: whether the entry was committed after the seal of its span, and a later seal covers it.
    """

    seal_id: int | None = None
    sealed_at: datetime | None = None
    is_late: bool = False


def coverage_of(entry: AuditEntry) -> Coverage:
    """Return the seal of an entry. Whether the seal matches its entries is the question of `verify_audit`."""
    late = AuditSeal.objects.filter(late__isnull=False, late__contains=[entry.pk]).order_by("seal_id").first()
    if late is not None:
        return Coverage(seal_id=late.seal_id, sealed_at=late.sealed_at, is_late=True)
    seal = AuditSeal.objects.filter(last_id__gte=entry.pk).order_by("last_id").first()
    if seal is None or seal.first_id > entry.pk or _is_in_gap(seal, entry.pk):
        return Coverage()
    return Coverage(seal_id=seal.seal_id, sealed_at=seal.sealed_at)


def _is_in_gap(seal: AuditSeal, entry_id: int) -> bool:
    """Whether the seal says that there was no entry with this id, as of a transaction that was still open."""
    gaps = zip(seal.gaps_from or (), seal.gaps_to or (), strict=True)
    return any(first <= entry_id <= last for first, last in gaps)
