"""The quick preview of jobs of the message store, like `quick.py` for the hub's messages."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils import timezone

from messages_app.access.actors import Caller
from messages_app.core.filters.address import as_query
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import Leaves
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import NOTHING, Estimate, share_of
from messages_app.jobs.preview.pace import pace_of
from messages_app.jobs.preview.samples import Sample, take_sample
from messages_app.jobs.preview.sets import cutoff_of
from messages_app.jobs.preview.skip_estimate import draws_of, in_job
from messages_app.jobs.stores.message_store import ITEMS as MESSAGE_STORE
from messages_app.message_store.selectors.messages import matching_lines, with_old_attempts, with_refreshed
from messages_app.shared.job_records import Basis, Given, JobOptions, SetReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.store_states import FIRST_ERROR, Status

SECONDS = 1.7
_COLUMNS = ("number", "status", "source_system", "source_entity")
_MAX_LOOKED_UP = 2_000
_SAMPLES, _MAX_GROUPS = 10, 100
# The messages that may be processed again, as in store_states.may_reprocess.
_REPROCESSED = Q(status__in=(Status.REQUIRES_REPROCESSING, Status.PROCESSED)) | Q(status__gte=FIRST_ERROR)


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """
    The number of messages that would be done, the estimated number skipped by reason, and some of the ids to
    be done.
    """

    to_do: Estimate
    skipped: Mapping[str, float]
    doing: Sequence[int]
    is_exact: bool


@dataclass(frozen=True, kw_only=True)
class StoredPreview:
    """The effect of a job of the message store if it ran now, like `quick.QuickPreview`."""

    report: SetReport

    def as_report(self) -> SetReport:
        return self.report


def stored_preview(*, kind: str, filter: Given, options: JobOptions, user: Caller | None) -> StoredPreview:
    """
    Return the effect of a job, as exactly as two seconds allow.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
    """
    deadline = Deadline(SECONDS)
    found = MESSAGE_STORE.parse(as_query(filter), user=user)
    rows = matching_lines(found.values)
    if cutoff := cutoff_of(kind, options):
        rows = with_old_attempts(rows, before=cutoff)
    is_reprocessing = spec_of(kind).leaves is Leaves.REFRESHES
    acting = rows.filter(_REPROCESSED) if is_reprocessing else rows
    sample = take_sample(acting, _COLUMNS, deadline.part(0.4 if is_reprocessing else 0.8))
    left = take_sample(rows.exclude(_REPROCESSED), _COLUMNS, deadline.part(0.5)) if is_reprocessing else None
    named = frozenset(options.get("refresh_entities") or ())
    judged = _judge_sample(kind, sample, acting, named, deadline)
    return StoredPreview(report=_make_report(kind, sample, left, judged, rate=options.get("rate")))


def _make_report(
    kind: str, sample: Sample, left: Sample | None, judged: _Judged, *, rate: float | None
) -> SetReport:
    samples = [sample] if left is None else [sample, left]
    planned = sample.messages + (NOTHING if left is None else left.messages)
    skipped = {**judged.skipped}
    if left is not None and left.messages.about:
        conflict = str(SkipReason.STATE_CONFLICT)
        skipped[conflict] = skipped.get(conflict, 0) + left.messages.about
    pace = pace_of(kind, rate)
    is_whole = all(each.is_whole for each in samples)
    looked_at = sum(len(each.rows) for each in samples)
    basis: Basis = {"is_exact": is_whole and judged.is_exact, "looked_at": looked_at}
    return {
        "kind": kind,
        "at": timezone.now().isoformat(),
        "planned": round(planned.about),
        "to_do": round(judged.to_do.about),
        "planned_between": planned.span,
        "to_do_between": judged.to_do.span,
        "by_state": _count_by_column(samples, 1),
        "by_system": _count_by_column(samples, 2),
        "by_entity": _count_by_column(samples, 3),
        "skipped": {reason: round(count) for reason, count in skipped.items() if round(count)},
        "kept": {},
        "systems": None,
        "samples": list(judged.doing[:_SAMPLES]),
        "seconds": pace.seconds_for(judged.to_do.about),
        "rate": pace.rate,
        "rate_is_chosen": pace.is_chosen,
        "bytes": None,
        "basis": dict.fromkeys(("counts", "skipped", "systems", "bytes", "seconds"), basis),
        "is_exact": is_whole,
    }


def _count_by_column(samples: Sequence[Sample], place: int) -> dict[str, int]:
    counts: dict[str, float] = defaultdict(float)
    for sample in samples:
        for row in sample.rows:
            counts["" if row[place] is None else str(row[place])] += sample.weight
    largest = sorted(counts.items(), key=lambda group: -group[1])[:_MAX_GROUPS]
    return {name: round(count) for name, count in largest}


def _judge_sample(
    kind: str, sample: Sample, rows: QuerySet, named: frozenset[str], deadline: Deadline
) -> _Judged:
    """Look up some of the messages: a reprocess job skips refreshes and messages of other jobs."""
    numbers = [row[0] for row in sample.rows]
    if spec_of(kind).leaves is not Leaves.REFRESHES or not numbers:
        return _Judged(to_do=sample.messages, skipped={}, doing=numbers, is_exact=sample.is_whole)
    places: Sequence[int] = range(len(numbers))
    if len(places) > _MAX_LOOKED_UP:
        places = random.Random(0).sample(places, _MAX_LOOKED_UP)  # noqa: S311 (the same ones again)
    chosen = [numbers[place] for place in places]
    reasons = deadline.within(lambda: _reasons_by_message(kind, rows, chosen, named))
    if reasons is None:
        unknown = Estimate(least=0, about=sample.messages.about, most=sample.messages.most)
        return _Judged(to_do=unknown, skipped={}, doing=numbers, is_exact=False)
    doing = [number for number in chosen if number not in reasons]
    is_whole = sample.is_whole and len(chosen) == len(numbers)
    going = [0.0 if number in reasons else 1.0 for number in chosen]
    share = share_of(len(doing), len(chosen), looked_at=draws_of(sample, places, going), is_whole=is_whole)
    scale = sample.messages.about / len(chosen)
    return _Judged(
        to_do=sample.messages * share,
        skipped={name: count * scale for name, count in Counter(reasons.values()).items()},
        doing=doing,
        is_exact=is_whole,
    )


def _reasons_by_message(
    kind: str, rows: QuerySet, numbers: list[int], named: frozenset[str]
) -> dict[int, str]:
    """Return the reason of each message that is skipped."""
    found = with_refreshed(rows.filter(pk__in=numbers)).values_list("pk", "refreshed")
    refreshing = {
        number: str(SkipReason.REFRESH)
        for number, entity in found
        if entity is not None and entity not in named
    }
    return in_job(kind, numbers) | refreshing


PREVIEW = stored_preview
