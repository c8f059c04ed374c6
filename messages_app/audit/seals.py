"""
Seals over the audit log: a chain of digests that shows changes by a role that could make them.

A pass every half minute seals all committed entries, so that writers of entries do not wait for each other,
and no seal waits for an open transaction. An id is assigned before its transaction ends, so an entry may
appear between entries that are sealed already. The seal therefore names the ids without an entry and the
transactions that are open; later entries of these transactions with these ids are covered by a later seal.
All other entries between sealed ones are forged.

Each seal covers the seal before it and the console's secret key, so that a role that can only write to the
database cannot make one. Entries that are removed for their age keep their seals, under a tombstone.

Source: docs/contributing/spec/promises.md, I-56, S-47, S-48; docs/contributing/decisions/0013-audit-seals.md.
"""

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from messages_app.audit.digests import digest_of, is_digest
from messages_app.audit.models import AuditSeal
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock

statements = Statements("messages_app.audit")
_SEALING = TransactionLock("hubconsole audit_seal")

logger = logging.getLogger(__name__)

# The maximum number of entries for one seal: they are read in a fraction of a second.
MAX_SEALED = 10_000


def seal_entries() -> int:
    """Seal all committed entries, and return their number; 0 if another pass is in progress."""
    with transaction.atomic():
        if not _SEALING.try_acquire():
            return 0
        return seal_up_to(last_assigned_id())


def seal_up_to(up_to: int, *, most: int = MAX_SEALED) -> int:
    """
    Seal the unsealed entries up to an id, `most` with each seal. Return their number.

    Args:
        up_to: an id that was assigned before this call.
    """
    # This transaction gets its number now, so open transactions with an id up to `up_to` have smaller ones.
    (before,) = statements.only_row("own_transaction", {})
    # Late entries are read after this, so all of transactions that have ended are among them.
    settled, now_settled = statements.only_row("settled", {"before": before})
    last = AuditSeal.objects.order_by("-seal_id").first() or AuditSeal(seal_id=0, last_id=0, digest="")
    after, sealed = last_sealed_id(last, up_to), 0
    while True:
        late = late_entries(settled=settled, most=most)
        content = read_content(after=after, up_to=up_to, late=late, most=most, before=before)
        if not content.entries:
            statements.count("note_settled", {"settled": now_settled})
            return sealed
        last = _store_seal(last, after, content)
        after, sealed = last.last_id, sealed + content.entries


def last_assigned_id() -> int:
    """Return the last id that an entry got, whether or not its transaction has ended."""
    last_id: int = statements.only_row("last_assigned", {})[0]
    return last_id


def last_sealed_id(last: AuditSeal, up_to: int) -> int:
    """
    Return the id after which entries are not sealed.

    Callers could choose ids in older versions. A seal that ends at such an id covers the first entries of its
    span, and those beyond all assigned ids.
    """
    if last.last_id <= up_to:
        return last.last_id
    values = {"first_id": last.first_id, "last_id": last.last_id, "entries": last.entries, "up_to": up_to}
    row = statements.fetch_row("resume", values)
    return row[0] if row else last.first_id - 1


def late_entries(*, settled: int = 0, most: int | None = None) -> list[int]:
    """
    Return the ids of committed, unsealed entries between sealed ones that are not forged.

    Args:
        settled: the last seal without possible late entries; 0: search all seals.
    """
    return statements.fetch_column("late_entries", {"settled": settled, "most": most})


def settled_seal() -> int:
    """Return the last seal that could not get late entries at the last pass."""
    settled: int = statements.only_row("settled", {"before": 0})[0]
    return settled


@dataclass(frozen=True, kw_only=True)
class Content:
    """
    The entries under a seal.

    Args:
        entries: their number.
        newest: the last id of entries that are not late; None: all are late.
        digest: a digest of their contents.
        late: the ids of those whose ids lie in the span of an earlier seal.
        gaps: the first and the last ids of spans without entries between them.
        open_transactions: the transactions that may still add entries in the gaps.
    """

    entries: int
    newest: int | None
    digest: str
    late: Sequence[int]
    gaps: tuple[Sequence[int], Sequence[int]]
    open_transactions: Sequence[int]


def read_content(
    *,
    after: int,
    up_to: int,
    most: int | None,
    late: Sequence[int] = (),
    elsewhere: Sequence[int] = (),
    before: int = 0,
) -> Content:
    """
    Return the content of the entries after an id up to another, at most `most`, including late ones.

    Args:
        elsewhere: the ids of entries in between that are under other seals.
        before: the number of this transaction, for a new seal.
    """
    values = {
        "after": after,
        "up_to": up_to,
        "most": most,
        "late": list(late),
        "elsewhere": list(elsewhere),
        "before": before,
    }
    entries, newest, digest, gaps_from, gaps_to, open_now = statements.only_row("digest_entries", values)
    has_gaps = bool(gaps_from and open_now)
    return Content(
        entries=entries,
        newest=newest,
        digest=digest,
        late=late,
        gaps=(gaps_from, gaps_to) if has_gaps else ([], []),
        open_transactions=open_now if has_gaps else [],
    )


def _store_seal(last: AuditSeal, after: int, content: Content) -> AuditSeal:
    gaps_from, gaps_to = content.gaps
    one = AuditSeal(
        seal_id=last.seal_id + 1,
        first_id=after + 1,
        last_id=after if content.newest is None else content.newest,
        entries=content.entries,
        late=list(content.late) or None,
        gaps_from=gaps_from or None,
        gaps_to=gaps_to or None,
        open_transactions=content.open_transactions or None,
    )
    one.digest = digest_of(last.digest, seal_text(one, content))
    columns = ("seal_id", "first_id", "last_id", "entries", "digest", "late", "gaps_from", "gaps_to")
    values = {name: getattr(one, name) for name in (*columns, "open_transactions")}
    statements.count("store_seal", values)
    # A copy of this line in an external log proves later that no seal was removed.
    logger.info("audit seal %s up to entry %s: %s", one.seal_id, one.last_id, one.digest)
    return one


def seal_text(one: AuditSeal, content: Content) -> str:
    """Return the text whose digest a seal has, with the columns of its row and the given content."""
    words = f"{one.seal_id} {one.first_id} {one.last_id} {content.entries} {content.digest}"
    lists = (one.late, one.gaps_from, one.gaps_to, one.open_transactions)
    # Seals of older versions have no lists.
    return words if not any(lists) else f"{words} {lists}"


@dataclass
class Covered:
    """
    The seals that cover late entries.

    Args:
        late: (id, seal) of each entry under a later seal than its neighbours, in this order.
    """

    late: Sequence[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def read(cls, waiting: Iterable[int] = ()) -> "Covered":
        """
        Read the late entries of all seals.

        Args:
            waiting: the ids of unsealed late entries.
        """
        seals = AuditSeal.objects.filter(late__isnull=False).values_list("late", "seal_id")
        pairs = [(entry_id, seal_id) for late, seal_id in seals for entry_id in late or ()]
        return cls(sorted([*pairs, *((entry_id, _NO_SEAL) for entry_id in waiting)]))

    def ids_elsewhere(self, first: AuditSeal, last: AuditSeal) -> list[int]:
        """Return the ids between those of two seals that are under a seal after the second one."""
        start = bisect_left(self.late, (first.first_id, 0))
        end = bisect_right(self.late, (last.last_id, _NO_SEAL))
        return [entry_id for entry_id, seal_id in self.late[start:end] if seal_id > last.seal_id]

    def is_intact(
        self, one: AuditSeal, previous: str, *, up_to: int | None = None, beyond: Sequence[int] = ()
    ) -> bool:
        """
        Whether the entries under a seal match it.

        Args:
            previous: the digest of the seal before.
            up_to: the last id under this seal, if a later seal begins before its last id.
            beyond: further ids under it, for the same case.
        """
        content = read_content(
            after=one.first_id - 1,
            up_to=one.last_id if up_to is None else up_to,
            most=one.entries + 1,
            late=[*(one.late or ()), *beyond],
            elsewhere=self.ids_elsewhere(one, one),
        )
        return is_digest(one.digest, previous, seal_text(one, content))


_NO_SEAL = 1 << 63
