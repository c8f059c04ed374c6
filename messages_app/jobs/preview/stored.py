"""The quick preview of jobs of the message store, like `quick.py` for the hub's messages."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from messages_app.core.filters.address import as_query
from messages_app.jobs.kinds.spec import JobRequest, KindSpec, Leaves
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import Estimate, share_of, sum_estimates
from messages_app.jobs.preview.pace import start_report
from messages_app.jobs.preview.quick import cutoff_of
from messages_app.jobs.preview.samples import Sample, count_by_column, take_sample
from messages_app.jobs.preview.skip_estimate import draws_of, in_job
from messages_app.jobs.stores.message_store import ITEMS as MESSAGE_STORE
from messages_app.message_store.selectors.messages import matching_lines, with_old_attempts, with_refreshed
from messages_app.shared.job_records import Basis, SetReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.store_states import FIRST_ERROR, Status

SECONDS = 1.7
_COLUMNS = ("number", "status", "source_system", "source_entity")
_MAX_LOOKED_UP = 2_000
_SAMPLES = 10
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


def stored_preview(request: JobRequest) -> SetReport:
    """
    Return the effect of a job, as exactly as two seconds allow.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
    """
    deadline, spec = Deadline(SECONDS), request.spec
    rows = matching_lines(MESSAGE_STORE.parse(as_query(request.filter), user=request.user).values)
    if cutoff := cutoff_of(request):
        rows = with_old_attempts(rows, before=cutoff)
    is_reprocessing = spec.leaves is Leaves.REFRESHES
    acting = rows.filter(_REPROCESSED) if is_reprocessing else rows
    sample = take_sample(acting, _COLUMNS, deadline.part_of_time(0.4 if is_reprocessing else 0.8))
    samples = [sample]
    if is_reprocessing:
        samples.append(take_sample(rows.exclude(_REPROCESSED), _COLUMNS, deadline.part_of_time(0.5)))
    named = frozenset(request.options.get("refresh_entities") or ())
    return _make_report(request, samples, _judge_sample(spec, sample, acting, named, deadline))


def _make_report(request: JobRequest, samples: Sequence[Sample], judged: _Judged) -> SetReport:
    """Return the report of a sample of the messages to do and, of a reprocess job, one of the others."""
    skipped = defaultdict(float, judged.skipped)
    skipped[str(SkipReason.STATE_CONFLICT)] += sum_estimates(each.messages for each in samples[1:]).about
    is_whole = all(each.is_whole for each in samples)
    looked_at = sum(len(each.rows) for each in samples)
    basis: Basis = {"is_exact": is_whole and judged.is_exact, "looked_at": looked_at}
    planned = sum_estimates(each.messages for each in samples)
    return start_report(request, planned=planned, to_do=judged.to_do) | {
        "by_state": count_by_column(samples, 1),
        "by_system": count_by_column(samples, 2),
        "by_entity": count_by_column(samples, 3),
        "skipped": {reason: round(count) for reason, count in skipped.items() if round(count)},
        "kept": {},
        "systems": None,
        "samples": list(judged.doing[:_SAMPLES]),
        "bytes": None,
        "basis": dict.fromkeys(("counts", "skipped", "systems", "bytes", "seconds"), basis),
        "is_exact": is_whole,
    }


def _judge_sample(
    spec: KindSpec, sample: Sample, rows: QuerySet, named: frozenset[str], deadline: Deadline
) -> _Judged:
    """Look up some of the messages: a reprocess job skips refreshes and messages of other jobs."""
    numbers = [row[0] for row in sample.rows]
    if spec.leaves is not Leaves.REFRESHES or not numbers:
        return _Judged(to_do=sample.messages, skipped={}, doing=numbers, is_exact=sample.is_whole)
    places: Sequence[int] = range(len(numbers))
    if len(places) > _MAX_LOOKED_UP:
        places = random.Random(0).sample(places, _MAX_LOOKED_UP)  # noqa: S311 (the same ones again)
    chosen = [numbers[place] for place in places]
    reasons = deadline.run_within(lambda: _reasons_by_message(spec, rows, chosen, named))
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
    spec: KindSpec, rows: QuerySet, numbers: list[int], named: frozenset[str]
) -> dict[int, str]:
    """Return the reason of each message that is skipped."""
    refreshes = with_refreshed(rows.filter(pk__in=numbers)).values_list("pk", "refreshed")
    refreshing = {
        number: str(SkipReason.REFRESH)
        for number, entity in refreshes
        if entity is not None and entity not in named
    }
    return in_job(spec, numbers) | refreshing


PREVIEW = stored_preview
