"""
Seals over the audit log: a chain of digests that shows changes by a role that could make them.

A pass once a minute seals settled entries, so that writers of entries do not wait for each other. Each seal
covers the seal before it and the console's secret key, so that a role that can only write to the database
cannot make one. Entries that are removed for their age keep their seals, under a tombstone with a digest.

Source: docs/spec/promises.md, I-56, S-47, S-48; docs/decisions/0013-audit-seals.md.
"""

import hmac
import logging
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")


logger = logging.getLogger(__name__)

# The maximum number of entries for one seal: they are read in a fraction of a second.
MOST = 10_000


def seal() -> int:
    """Seal the entries that are settled, and return their number; 0 if another pass is in progress."""
    with transaction.atomic():
        if not statements.only_row("lock_sealing", {})[0]:
            return 0
        settled = statements.row("settled", {})
        sealed = seal_up_to(settled[0]) if settled else 0
        statements.count("note_mark", {})
    return sealed


def seal_up_to(up_to: int, *, most: int = MOST) -> int:
    """Seal the unsealed entries up to an id, `most` with each seal. Return their number."""
    seal_id, last_id, previous = statements.row("last_seal", {}) or (0, 0, "")
    sealed = 0
    while True:
        count, newest, content = _content(after=last_id, up_to=up_to, most=most)
        if newest is None:
            return sealed
        seal_id += 1
        told = _seal_text(
            seal_id=seal_id, first_id=last_id + 1, last_id=newest, entries=count, content=content
        )
        digest = digest_of(previous, told)
        values = {"seal_id": seal_id, "first_id": last_id + 1, "last_id": newest}
        statements.count("store_seal", values | {"entries": count, "digest": digest})
        # A copy of this line in an external log proves later that no seal was removed.
        logger.info("audit seal %s up to entry %s: %s", seal_id, newest, digest)
        last_id, previous, sealed = newest, digest, sealed + count


def faults(expected: tuple[int, str] | None = None) -> Iterator[str]:
    """
    Yield a sentence for each part of the audit log that does not match its seal. Entries that were removed
    because of their age have a tombstone instead.

    Args:
        expected: the number and the digest of a seal, from a log outside of the database.
    """
    last_id, previous, number = 0, "", 0
    removed_until = AuditTombstone.objects.aggregate(last=Max("last_seal"))["last"] or 0
    for number, one in enumerate(AuditSeal.objects.order_by("seal_id").iterator(), start=1):
        if (one.seal_id, one.first_id) != (number, last_id + 1):
            yield f"Seal {number} is missing."
            return
        if one.seal_id > removed_until and not holds(one, previous):
            yield (
                f"Entries {one.first_id} to {one.last_id} do not match their seal of"
                f" {one.sealed_at:%Y-%m-%d %H:%M:%S} UTC (seal {one.seal_id})."
            )
        last_id, previous = one.last_id, one.digest
    yield from _tombstone_faults()
    if expected and not AuditSeal.objects.filter(seal_id=expected[0], digest=expected[1]).exists():
        yield f"Seal {expected[0]} is not there with this digest: there are {number} seals."


def holds(one: AuditSeal, previous: str) -> bool:
    """Whether the entries under a seal match it. `previous` is the digest of the seal before."""
    count, newest, content = _content(after=one.first_id - 1, up_to=one.last_id, most=one.entries + 1)
    told = _seal_text(
        seal_id=one.seal_id, first_id=one.first_id, last_id=newest or 0, entries=count, content=content
    )
    return is_digest(one.digest, previous, told)


def digest_before(one: AuditSeal) -> str:
    """Return the digest of the previous seal; empty for the first seal, or if the previous one is missing."""
    before = AuditSeal.objects.filter(seal_id=one.seal_id - 1).values_list("digest", flat=True)
    return before.first() or ""


def _content(*, after: int, up_to: int, most: int) -> tuple[int, int | None, str]:
    """Return the number of entries, the id of the last one, and a digest of their contents."""
    values = {"after": after, "up_to": up_to, "most": most}
    count, newest, content = statements.only_row("digest_entries", values)
    return count, newest, content


def _seal_text(*, seal_id: int, first_id: int, last_id: int, entries: int, content: str) -> str:
    return f"{seal_id} {first_id} {last_id} {entries} {content}"


_SEAL, _SUBJECT = b"hubconsole audit seal", b"hubconsole erased subject"


def digest_of(previous: str, told: str) -> str:
    """Return 64 hexadecimal digits: the digest of `told`, chained to the digest `previous`."""
    return _digest(_SEAL, f"{previous} {told}", settings.SECRET_KEY)


def is_digest(digest: str, previous: str, told: str) -> bool:
    """Whether this is the digest of a content, made with the current secret key or a previous one."""
    return _is_made_of(digest, _SEAL, f"{previous} {told}")


def subject_digest(value: str) -> str:
    """Return 64 hexadecimal digits that name a subject where its key must not appear."""
    return _digest(_SUBJECT, value, settings.SECRET_KEY)


def is_subject(digest: str, value: str) -> bool:
    """
    Whether a value is the key of the subject with this digest, for the current secret key or a previous one.
    """
    return _is_made_of(digest, _SUBJECT, value)


def _is_made_of(digest: str, purpose: bytes, text: str) -> bool:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    # Compared as bytes, because a digest from the database may be any text.
    return any(hmac.compare_digest(_digest(purpose, text, key).encode(), digest.encode()) for key in keys)


def _digest(purpose: bytes, text: str, key: str) -> str:
    own_key = hmac.digest(key.encode(), purpose, sha256)
    return hmac.new(own_key, text.encode(), sha256).hexdigest()


def put_tombstone(seals: Sequence[AuditSeal]) -> AuditTombstone:
    """Store the tombstone of the entries under consecutive seals."""
    stone = AuditTombstone(
        first_seal=seals[0].seal_id,
        last_seal=seals[-1].seal_id,
        first_id=seals[0].first_id,
        last_id=seals[-1].last_id,
        entries=sum(one.entries for one in seals),
        made_at=Now(),
    )
    stone.digest = digest_of("", _tombstone_text(stone, seals))
    stone.save(force_insert=True)
    return stone


def _tombstone_faults() -> Iterator[str]:
    """
    Yield the errors of tombstones: ones that the console did not make, missing ones, and ones with entries.
    """
    next_seal = 1
    for stone in AuditTombstone.objects.order_by("first_seal"):
        span = f"entries {stone.first_id} to {stone.last_id}"
        if stone.first_seal != next_seal:
            yield f"A tombstone is missing before that of {span}."
        next_seal = stone.last_seal + 1
        seals = AuditSeal.objects.filter(seal_id__range=(stone.first_seal, stone.last_seal))
        if not is_digest(stone.digest, "", _tombstone_text(stone, seals.order_by("seal_id"))):
            yield f"The tombstone of {span} is not as it was made."
        if AuditEntry.objects.filter(entry_id__range=(stone.first_id, stone.last_id)).exists():
            yield f"Of {span}, which were removed, some are there."


def _tombstone_text(stone: AuditTombstone, seals: Iterable[AuditSeal]) -> str:
    lines = [f"{one.seal_id} {one.first_id} {one.last_id} {one.entries} {one.digest}" for one in seals]
    covered = sha256("\n".join(lines).encode()).hexdigest()
    span = f"{stone.first_seal} {stone.last_seal} {stone.first_id} {stone.last_id}"
    return f"tombstone {span} {stone.entries} {covered}"
