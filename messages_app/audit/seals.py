"""
Seals over the audit: a chain of digests that shows a change by a role that could make one.

A pass a minute seals what is settled, so that who writes an entry waits for no one. Each seal holds the one
before it and the console's secret key, so that who can write to the database cannot make it again.

Source: docs/spec/promises.md, I-56, S-47, S-48; docs/decisions/0013-audit-seals.md.
"""

import logging
from collections.abc import Iterator

from django.db import transaction
from django.db.models import Max

from messages_app.audit import tombstones
from messages_app.audit.digests import digest_of, is_digest
from messages_app.audit.models import AuditSeal, AuditTombstone
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")


logger = logging.getLogger(__name__)

# Read for one seal: a fraction of a second.
MOST = 10_000


def seal() -> int:
    """Seal the entries that are settled; return how many. Raises nothing where another pass is at it."""
    with transaction.atomic():
        if not statements.only_row("lock_sealing", {})[0]:
            return 0
        settled = statements.row("settled", {})
        sealed = seal_up_to(settled[0]) if settled else 0
        statements.count("note_mark", {})
    return sealed


def seal_up_to(up_to: int, *, most: int = MOST) -> int:
    """Seal the entries up to an id that have no seal yet, `most` with each; return how many."""
    seal_id, last_id, previous = statements.row("last_seal", {}) or (0, 0, "")
    sealed = 0
    while True:
        count, newest, content = _content(after=last_id, up_to=up_to, most=most)
        if newest is None:
            return sealed
        seal_id += 1
        told = _told(seal_id=seal_id, first_id=last_id + 1, last_id=newest, entries=count, content=content)
        digest = digest_of(previous, told)
        values = {"seal_id": seal_id, "first_id": last_id + 1, "last_id": newest}
        statements.count("store_seal", values | {"entries": count, "digest": digest})
        # What the log keeps elsewhere shows later that no seal was taken away.
        logger.info("audit seal %s up to entry %s: %s", seal_id, newest, digest)
        last_id, previous, sealed = newest, digest, sealed + count


def faults(expected: tuple[int, str] | None = None) -> Iterator[str]:
    """
    Yield where the audit is not as it was sealed; what was removed for its age has a tombstone instead.

    Args:
        expected: the number and the digest of a seal, as a log outside the database has them.
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
    yield from tombstones.faults()
    if expected and not AuditSeal.objects.filter(seal_id=expected[0], digest=expected[1]).exists():
        yield f"Seal {expected[0]} is not there with this digest: there are {number} seals."


def holds(one: AuditSeal, previous: str) -> bool:
    """Whether the entries under a seal are the ones that were sealed; `previous` is the digest before it."""
    count, newest, content = _content(after=one.first_id - 1, up_to=one.last_id, most=one.entries + 1)
    told = _told(
        seal_id=one.seal_id, first_id=one.first_id, last_id=newest or 0, entries=count, content=content
    )
    return is_digest(one.digest, previous, told)


def digest_before(one: AuditSeal) -> str:
    """Return the digest of the seal before; empty where it is the first, or the one before is gone."""
    before = AuditSeal.objects.filter(seal_id=one.seal_id - 1).values_list("digest", flat=True)
    return before.first() or ""


def _content(*, after: int, up_to: int, most: int) -> tuple[int, int | None, str]:
    """Return how many entries there are, the id of the last, and what they say, as a digest."""
    values = {"after": after, "up_to": up_to, "most": most}
    count, newest, content = statements.only_row("digest_entries", values)
    return count, newest, content


def _told(*, seal_id: int, first_id: int, last_id: int, entries: int, content: str) -> str:
    return f"{seal_id} {first_id} {last_id} {entries} {content}"
