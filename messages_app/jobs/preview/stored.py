"""The quick preview of jobs of the message store, like `quick.py` for the hub's messages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from django.db.models import Q, QuerySet

from messages_app.core.filters.address import as_query
from messages_app.jobs.kinds.spec import JobRequest, KindSpec, Leaves
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import sum_estimates
from messages_app.jobs.preview.families import FamilyShare
from messages_app.jobs.preview.pace import start_report
from messages_app.jobs.preview.quick import cutoff_of
from messages_app.jobs.preview.samples import Sample, count_by_column, take_sample
from messages_app.jobs.preview.skip_estimate import Judged, find_rows_in_jobs, judge_sample
from messages_app.jobs.stores.message_store import ITEMS as MESSAGE_STORE
from messages_app.message_store.selectors.messages import matching_lines, with_old_attempts, with_refreshed
from messages_app.shared.job_records import Basis, SetReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.store_states import FIRST_ERROR, Status

_COLUMNS = ("number", "status", "source_system", "source_entity")
_SAMPLES = 10
# The messages that may be processed again, as in store_states.may_reprocess.
_REPROCESSED = Q(status__in=(Status.REQUIRES_REPROCESSING, Status.PROCESSED)) | Q(status__gte=FIRST_ERROR)


def preview_from_counts(request: JobRequest, deadline: Deadline) -> SetReport:
    """
    Return the effect of a job, as exactly as the time allows.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
        TimeIsUp: the preview was not complete in time, and the deadline gives up.
    """
    spec = request.spec
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
    look_up = partial(_look_up_refreshes, spec, acting, named) if is_reprocessing else None
    return _make_report(request, samples, judge_sample(sample, look_up, deadline))


def _make_report(request: JobRequest, samples: Sequence[Sample], judged: Judged) -> SetReport:
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


def _look_up_refreshes(
    spec: KindSpec, rows: QuerySet, named: frozenset[str], numbers: list[int]
) -> Mapping[int, FamilyShare]:
    """Return the messages that a reprocess job skips: refreshes, and messages of other jobs."""
    refreshes = with_refreshed(rows.filter(pk__in=numbers)).values_list("pk", "refreshed")
    refreshing = {
        number: str(SkipReason.REFRESH)
        for number, entity in refreshes
        if entity is not None and entity not in named
    }
    reasons = find_rows_in_jobs(spec, numbers) | refreshing
    return {number: FamilyShare(reason=reason) for number, reason in reasons.items()}


PREVIEW = preview_from_counts
