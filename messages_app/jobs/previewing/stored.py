"""
The first answer to "what would this job do" for messages of the message store: from the kept counts where
these know the filter, else from the first messages that pass it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.utils import timezone

from messages_app.jobs.previewing.deadline import Deadline
from messages_app.jobs.previewing.pace import pace_of
from messages_app.jobs.previewing.sets import cutoff_of
from messages_app.jobs.previewing.skips import in_job
from messages_app.jobs.states import HARMLESS_KINDS, JobKind, SkipReason
from messages_app.jobs.stores.message_store import MESSAGE_STORE, StoreFilter
from messages_app.message_store import queries
from messages_app.web.filters.kept import as_query
from messages_app.web.lists.branches import planned_rows
from spark_tasks.leaving import reason_of

SECONDS = 1.7
_MOST_READ = 5_000
_SAMPLES, _MOST_GROUPS = 10, 100


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a job would be about: `named` are the entities whose refresh messages it may have."""

    kind: str
    rows: QuerySet
    named: frozenset[str]

    def reason_of(self, status: int | None, refreshed: str | None) -> str | None:
        """Return why a message would be left; None: it would not be."""
        if self.kind != JobKind.REPROCESS:
            return None
        return reason_of("" if status is None else str(status), refreshed, named=self.named)


@dataclass(frozen=True, kw_only=True)
class _Look:
    """
    What was found of a set.

    Args:
        planned: messages of the set; `is_exact` whether they were counted.
        groups: messages by status, system and entity.
        skipped: by reason; doing: numbers of some that would be done.
    """

    planned: int
    is_exact: bool
    looked_at: int
    groups: Sequence[Counter]
    skipped: Counter = field(default_factory=Counter)
    doing: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True)
class StoredPreview:
    """What a job of the store's messages would do now, as `quick.QuickPreview` says it of the hub's."""

    report: Mapping[str, object]

    def as_report(self) -> dict[str, object]:
        return dict(self.report)


def stored_preview(
    *, kind: str, filter: Mapping[str, object], options: Mapping[str, object], user: object | None
) -> StoredPreview:
    """
    Return what a job would do, as far as is known within two seconds.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
    """
    deadline = Deadline(SECONDS)
    found = MESSAGE_STORE.parse(as_query(filter), user=user)
    rows = queries.matching(found.values)
    if cutoff := cutoff_of(kind, options):
        rows = queries.with_old_attempts(rows, before=cutoff)
    asked = _Asked(kind=kind, rows=rows, named=frozenset(options.get("refresh_entities") or ()))
    look = _looked(asked, found, deadline)
    to_do = max(0, look.planned - sum(look.skipped.values()))
    pace = pace_of(kind, options.get("rate"))
    basis = {"is_exact": look.is_exact, "looked_at": look.looked_at}
    names = ("by_state", "by_system", "by_entity")
    return StoredPreview(
        report={
            "kind": kind,
            "at": timezone.now().isoformat(),
            "planned": look.planned,
            "to_do": to_do,
            **{
                name: dict(each.most_common(_MOST_GROUPS))
                for name, each in zip(names, look.groups, strict=True)
            },
            "skipped": {str(reason): count for reason, count in look.skipped.items() if count},
            "kept": {},
            "systems": None,
            "samples": list(look.doing[:_SAMPLES]),
            "seconds": pace.seconds_for(to_do),
            "rate": pace.rate,
            "rate_is_chosen": pace.is_chosen,
            "bytes": None,
            "basis": dict.fromkeys(("counts", "skipped", "systems", "bytes", "seconds"), basis),
            "is_exact": look.is_exact,
        }
    )


def _looked(asked: _Asked, found: StoreFilter, deadline: Deadline) -> _Look:
    """Return what the first messages show: the whole set where it is no larger, else scaled to its size."""
    rows = queries.with_refreshed(asked.rows)
    columns = ("number", "status", "source_system", "source_entity", "refreshed")
    read = deadline.within(lambda: list(rows.values_list(*columns)[: _MOST_READ + 1]), share=0.5)
    part = _summed(asked, (read or [])[:_MOST_READ], deadline)
    if read is not None and len(read) <= _MOST_READ:
        return part
    size = _size(asked, found, deadline) or part.planned
    return _scaled(part, max(size, part.planned))


def _size(asked: _Asked, found: StoreFilter, deadline: Deadline) -> int | None:
    """Return how many messages there are by the kept counts, else about how many by the planner."""
    if asked.kind == JobKind.REPROCESS and found.values.keys() <= queries.COUNTED:
        return deadline.within(lambda: queries.count_messages(found.values)[0], share=0.5)
    return deadline.within(lambda: planned_rows(asked.rows.values("pk")), share=0.5)


def _summed(asked: _Asked, read: Iterable[tuple], deadline: Deadline) -> _Look:
    groups = (Counter(), Counter(), Counter())
    skipped: Counter = Counter()
    doing = []
    for number, status, system, entity, refreshed in read:
        for group, value in zip(groups, ("" if status is None else str(status), system, entity), strict=True):
            group[value or ""] += 1
        reason = asked.reason_of(status, refreshed)
        if reason:
            skipped[reason] += 1
        else:
            doing.append(number)
    has_rivals = doing and asked.kind not in HARMLESS_KINDS
    taken = deadline.within(lambda: in_job(asked.kind, doing), share=0.5) if has_rivals else {}
    skipped[str(SkipReason.IN_JOB)] += len(taken or {})
    return _Look(
        planned=groups[0].total(),
        is_exact=taken is not None,
        looked_at=groups[0].total(),
        groups=groups,
        skipped=skipped,
        doing=[number for number in doing if number not in (taken or {})],
    )


def _scaled(part: _Look, size: int) -> _Look:
    factor = size / (part.planned or 1)
    groups = [Counter({name: round(count * factor) for name, count in each.items()}) for each in part.groups]
    skipped = Counter({name: round(count * factor) for name, count in part.skipped.items()})
    return _Look(
        planned=size,
        is_exact=False,
        looked_at=part.looked_at,
        groups=groups,
        skipped=skipped,
        doing=part.doing,
    )
