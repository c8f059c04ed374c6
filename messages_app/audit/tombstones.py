"""
What represents entries that were removed: their seals stay, and a tombstone says that they went, and when.

It has a digest of its own, so that who can remove entries and write rows cannot make one look like ours.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from django.db.models.functions import Now

from messages_app.audit.digests import digest_of, is_digest
from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone


def put(seals: Sequence[AuditSeal]) -> AuditTombstone:
    """Store the tombstone of what is under seals that follow each other."""
    stone = AuditTombstone(
        first_seal=seals[0].seal_id,
        last_seal=seals[-1].seal_id,
        first_id=seals[0].first_id,
        last_id=seals[-1].last_id,
        entries=sum(one.entries for one in seals),
        made_at=Now(),
    )
    stone.digest = digest_of("", _told(stone, seals))
    stone.save(force_insert=True)
    return stone


def faults() -> Iterator[str]:
    """Yield the tombstones that are none of ours, or missing, and those whose entries are there again."""
    next_seal = 1
    for stone in AuditTombstone.objects.order_by("first_seal"):
        span = f"entries {stone.first_id} to {stone.last_id}"
        if stone.first_seal != next_seal:
            yield f"A tombstone is missing before that of {span}."
        next_seal = stone.last_seal + 1
        seals = AuditSeal.objects.filter(seal_id__range=(stone.first_seal, stone.last_seal))
        if not is_digest(stone.digest, "", _told(stone, seals.order_by("seal_id"))):
            yield f"The tombstone of {span} is not as it was made."
        if AuditEntry.objects.filter(entry_id__range=(stone.first_id, stone.last_id)).exists():
            yield f"Of {span}, which were removed, some are there."


def _told(stone: AuditTombstone, seals: Iterable[AuditSeal]) -> str:
    lines = [f"{one.seal_id} {one.first_id} {one.last_id} {one.entries} {one.digest}" for one in seals]
    covered = sha256("\n".join(lines).encode()).hexdigest()
    span = f"{stone.first_seal} {stone.last_seal} {stone.first_id} {stone.last_id}"
    return f"tombstone {span} {stone.entries} {covered}"
