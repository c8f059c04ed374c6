"""
The comparison of the audit log with its seals, and unsealed entries.

Source: docs/contributing/spec/promises.md, I-56, S-47, S-49; docs/contributing/decisions/0013-audit-seals.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from django.db import connection, transaction
from django.db.models import Max
from django.db.models.functions import Now

from messages_app.audit import seals
from messages_app.audit.digests import digest_of, is_digest
from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone
from messages_app.audit.seals import Covered
from messages_app.core.formatting import count_of, format_duration
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")

# Sealing takes half a minute at most. It has stopped if an entry waits longer than this.
MAX_SECONDS = 600.0
# More unsealed entries are not counted.
MAX_COUNTED = 10_000
_MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Unsealed:
    """
    The entries that no seal covers yet.

    Args:
        entries: their number, at most MAX_COUNTED + 1.
        seconds: the age of the oldest.
    """

    entries: int
    seconds: float

    @property
    def is_too_old(self) -> bool:
        return self.seconds > MAX_SECONDS

    def __str__(self) -> str:
        if not self.entries:
            return "all entries are sealed"
        number = count_of(min(self.entries, MAX_COUNTED), "entry", more=self.entries > MAX_COUNTED)
        return f"{number} not sealed yet, the oldest for {format_duration(timedelta(seconds=self.seconds))}"


def count_unsealed() -> Unsealed:
    """Return how many entries are not sealed yet, and for how long."""
    last = AuditSeal.objects.order_by("-seal_id").first()
    up_to = seals.last_assigned_id()
    values = {
        "after": seals.last_sealed_id(last, up_to) if last else 0,
        "up_to": up_to,
        "late": seals.late_entries(settled=seals.settled_seal(), most=MAX_COUNTED),
        "most": MAX_COUNTED + 1,
    }
    entries, seconds = statements.only_row("unsealed", values)
    return Unsealed(entries=min(entries, MAX_COUNTED + 1), seconds=seconds)


def foreign_entries() -> str:
    """Return a sentence that names entries whose ids the database did not assign, or an empty string."""
    ids = statements.fetch_column("foreign_ids", {"most": _MAX_NAMED + 1})
    if not ids:
        return ""
    further = ", and more" if len(ids) > _MAX_NAMED else ""
    numbers = ", ".join(map(str, ids[:_MAX_NAMED]))
    return f"Entries with ids that were never assigned: {numbers}{further}."


def find_faults(expected: tuple[int, str] | None = None) -> list[str]:
    """
    Return a sentence for each part of the audit log that does not match its seal. Entries that were removed
    because of their age have a tombstone instead.

    Args:
        expected: the number and the digest of a seal, from a log outside of the database.
    """
    with _one_snapshot():
        return list(_all_faults(expected))


@contextmanager
def _one_snapshot() -> Iterator[None]:
    """Read everything as of one moment, because late entries may be committed and sealed meanwhile."""
    with transaction.atomic(), connection.cursor() as cursor:
        if len(connection.savepoint_ids) == 0:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _all_faults(expected: tuple[int, str] | None) -> Iterator[str]:
    if foreign := foreign_entries():
        yield foreign
    yield from _seal_faults()
    yield from _tombstone_faults()
    if expected and not AuditSeal.objects.filter(seal_id=expected[0], digest=expected[1]).exists():
        number = AuditSeal.objects.aggregate(last=Max("seal_id"))["last"] or 0
        yield f"Seal {expected[0]} is not there with this digest: there are {number} seals."


def _seal_faults() -> Iterator[str]:
    covered = Covered.read(waiting=seals.late_entries())
    removed_until = AuditTombstone.objects.aggregate(last=Max("last_seal"))["last"] or 0
    last_id, previous = 0, ""
    for number, (one, following) in enumerate(_with_following(), start=1):
        if one.seal_id != number or one.first_id > last_id + 1:
            yield f"Seal {number} is missing."
            return
        if one.seal_id > removed_until and not _is_intact(covered, one, following, previous):
            yield (
                f"Entries {one.first_id} to {one.last_id} do not match their seal of"
                f" {one.sealed_at:%Y-%m-%d %H:%M:%S} UTC (seal {one.seal_id})."
            )
        last_id, previous = one.last_id, one.digest


def _with_following() -> Iterator[tuple[AuditSeal, AuditSeal | None]]:
    """Yield all seals, each with the next one."""
    one: AuditSeal | None = None
    for following in AuditSeal.objects.order_by("seal_id").iterator():
        if one is not None:
            yield one, following
        one = following
    if one is not None:
        yield one, None


def _is_intact(covered: Covered, one: AuditSeal, following: AuditSeal | None, previous: str) -> bool:
    """Whether a seal holds, also one that ends at an id which was never assigned."""
    assigned = seals.last_assigned_id()
    up_to = following.first_id - 1 if following else seals.last_sealed_id(one, assigned)
    if up_to >= one.last_id:
        return covered.is_intact(one, previous)
    rows = statements.fetch_rows("ids_beyond", {"after": assigned, "up_to": one.last_id})
    return covered.is_intact(one, previous, up_to=up_to, beyond=[entry_id for (entry_id,) in rows])


def put_tombstone(covered_seals: Sequence[AuditSeal]) -> AuditTombstone:
    """Store the tombstone of the entries under consecutive seals."""
    stone = AuditTombstone(
        first_seal=covered_seals[0].seal_id,
        last_seal=covered_seals[-1].seal_id,
        first_id=covered_seals[0].first_id,
        last_id=covered_seals[-1].last_id,
        entries=sum(one.entries for one in covered_seals),
        made_at=Now(),
    )
    stone.digest = digest_of("", _tombstone_text(stone, covered_seals))
    stone.save(force_insert=True)
    return stone


def _tombstone_faults() -> Iterator[str]:
    """
    Yield the errors of tombstones: ones that the console did not make, missing ones, and ones with entries.
    """
    next_seal = 1
    covered = Covered.read()
    for stone in AuditTombstone.objects.order_by("first_seal"):
        span = f"entries {stone.first_id} to {stone.last_id}"
        if stone.first_seal != next_seal:
            yield f"A tombstone is missing before that of {span}."
        next_seal = stone.last_seal + 1
        under = list(
            AuditSeal.objects.filter(seal_id__range=(stone.first_seal, stone.last_seal)).order_by("seal_id")
        )
        if not is_digest(stone.digest, "", _tombstone_text(stone, under)):
            yield f"The tombstone of {span} is not as it was made."
        elif _has_entries(under, covered):
            yield f"Of {span}, which were removed, some are there."


def _has_entries(under: Sequence[AuditSeal], covered: Covered) -> bool:
    """Whether entries are left under seals, apart from late ones that are under a later seal."""
    between = AuditEntry.objects.filter(entry_id__range=(under[0].first_id, under[-1].last_id))
    return between.exclude(entry_id__in=covered.ids_elsewhere(under[0], under[-1])).exists()


def _tombstone_text(stone: AuditTombstone, covered_seals: Iterable[AuditSeal]) -> str:
    lines = [
        f"{one.seal_id} {one.first_id} {one.last_id} {one.entries} {one.digest}" for one in covered_seals
    ]
    digest = sha256("\n".join(lines).encode()).hexdigest()
    span = f"{stone.first_seal} {stone.last_seal} {stone.first_id} {stone.last_id}"
    return f"tombstone {span} {stone.entries} {digest}"
