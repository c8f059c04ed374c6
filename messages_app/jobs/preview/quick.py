"""
The first estimate of a job's effect, within two seconds for any number of messages and any filter.

Small sets are read completely, large sets by a sample; each number has its basis and its bounds. A preview
writes nothing and waits for nothing: numbers that are not known in time are left open. The dry run of a job
counts exactly.

Source: docs/contributing/spec/design.md, "Bulk work", "Budgets".
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module

from django.db import OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from messages_app.core.statements import Statements
from messages_app.jobs.kinds.options import DEFAULT_MONTHS
from messages_app.jobs.kinds.spec import JobRequest, KindSpec, Rows, Selects
from messages_app.jobs.labels import IN_PARQUET, NOT_OLD_ENOUGH
from messages_app.jobs.preview.changes import narrow_to_changes, preview_changes
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.effects import systems_called
from messages_app.jobs.preview.estimates import Estimate, sum_estimates
from messages_app.jobs.preview.pace import start_report
from messages_app.jobs.preview.samples import Sample, count_by_column, how_many, take_sample
from messages_app.jobs.preview.skip_estimate import Judged, judge_sample, look_up_families
from messages_app.jobs.stores import item_stores
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.filters.branches import split_into_parts
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    STATE,
    MessageFilter,
    parse_message_filter,
)
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.job_records import Basis, JobReport, SetReport
from messages_app.shared.job_states import SkipReason
from messages_app.shared.message_states import FINAL_STATES, MessageState

job_statements = Statements("messages_app.jobs")
statements = Statements("messages_app.jobs.preview")


PreviewFunction = Callable[[JobRequest, Deadline], SetReport]
SECONDS = 1.7


def preview_job(request: JobRequest, deadline: Deadline | None = None) -> SetReport:
    """Return the effect of a job, as exactly as the time allows: two seconds if no other is given."""
    preview: PreviewFunction = import_module(item_stores()[request.spec.store].preview_module).PREVIEW
    return preview(request, deadline or Deadline(SECONDS))


def first_estimate(request: JobRequest) -> JobReport:
    """
    Return the report of a dry run until it has counted: its `estimate`, or an empty report if time ran out.
    """
    try:
        return {"estimate": preview_job(request)}
    except OperationalError:
        return {}


@dataclass(frozen=True, kw_only=True)
class Piece:
    """
    A part of the set.

    Args:
        is_acted_on: the job changes messages in these states; otherwise it skips them all.
    """

    rows: QuerySet
    is_acted_on: bool = True


def filter_of_request(request: JobRequest) -> MessageFilter:
    """
    Return the filter of a job as the plan of the job reads it.

    Raises:
        Problem: 400, a parameter is wrong.
    """
    values = QueryDict(mutable=True)
    for name, value in request.filter.items():
        values.setlist(name, [str(each) for each in (value if isinstance(value, list) else [value])])
    parsed = parse_message_filter(values, user=request.user, other_parameters=())
    spec = request.spec
    if spec.selects is Selects.UNGROUPED_FAILURES:
        return MessageFilter({STATE: (MessageState.FAILED,), ARCHIVED: ANYWHERE})
    if spec.rows is Rows.ARCHIVED:
        return MessageFilter({**parsed.values, ARCHIVED: True})
    return parsed


def cutoff_of(request: JobRequest) -> datetime | None:
    """Return the age limit of an archive job by the database's clock; None for other kinds."""
    if not request.spec.has_age_limit:
        return None
    months = request.options.get("older_than_months") or DEFAULT_MONTHS
    cutoff: datetime
    _, cutoff = job_statements.only_row("freeze_point", {"older_than_months": months})
    return cutoff


def pieces_of_set(
    spec: KindSpec, filters: MessageFilter, *, cutoff: datetime | None, allowed: Collection[str] | None
) -> list[Piece]:
    """
    Return the set in pieces.

    Args:
        allowed: states in which the job changes messages; None: all. An archive job's set has no other
        states.
    """
    pieces = []
    for rows in _iterate_tables(spec, filters):
        states = set(filters.states)
        acting = states & set(allowed) if states and allowed is not None else states or set(allowed or ())
        if cutoff is not None:
            pieces.append(Piece(rows=_old_enough(rows, acting, cutoff)))
            continue
        if acting or allowed is None:
            pieces.append(Piece(rows=rows.filter(state__in=sorted(acting)) if acting else rows))
        if allowed is None:
            continue
        others = (
            rows.filter(state__in=sorted(states - acting))
            if states
            else rows.exclude(state__in=sorted(acting))
        )
        if not states or states - acting:
            pieces.append(Piece(rows=others, is_acted_on=False))
    return pieces


def _iterate_tables(spec: KindSpec, filters: MessageFilter) -> Iterator[QuerySet]:
    """Yield the rows of each table that match the filter, in any state."""
    stateless = MessageFilter({name: value for name, value in filters.values.items() if name != STATE})
    for part in split_into_parts(stateless):
        if part.others.model is ColdMessage and not spec.reads_parquet:
            continue
        rows = part.rows
        if spec.selects is Selects.UNGROUPED_FAILURES:
            rows = rows.filter(~Exists(FailureMember.objects.filter(msg_id=OuterRef("msg_id"))))
        yield rows


def _old_enough(rows: QuerySet, states: Collection[str], cutoff: datetime) -> QuerySet:
    return rows.filter(_compare_age(cutoff, "lt"), state__in=sorted(states))


def _compare_age(cutoff: datetime, comparison: str) -> Q:
    """
    Compare the time from which messages age. Not by one expression: PostgreSQL has statistics of both columns
    but not of the expression, and would read the whole table where few messages are old enough.
    """
    is_processed = Q(**{f"last_process_timestamp__{comparison}": cutoff})
    is_received = Q(**{f"receive_timestamp__{comparison}": cutoff})
    return is_processed | (Q(last_process_timestamp=None) & is_received)


def kept_for_age(
    spec: KindSpec, filters: MessageFilter, cutoff: datetime, deadline: Deadline
) -> Estimate | None:
    """Return the number of final messages of the filter that are too young; None: not known in time."""
    states = sorted(set(filters.states) & FINAL_STATES if filters.states else FINAL_STATES)
    young = [
        rows.filter(_compare_age(cutoff, "gte"), state__in=states) for rows in _iterate_tables(spec, filters)
    ]
    return _sum_known_estimates([how_many(rows, deadline) for rows in young])


def estimate_in_parquet(filters: MessageFilter, deadline: Deadline) -> Estimate | None:
    """
    Return the number of messages of the filter that are in Parquet files.

    None if there are Parquet files and counting the messages that match takes too long.
    """
    if not filters.values.get(ARCHIVED) or deadline.run_within(ColdMessage.objects.exists) is False:
        return Estimate.from_count(0)
    cold = [part.rows for part in split_into_parts(filters) if part.others.model is ColdMessage]
    return _sum_known_estimates([how_many(rows, deadline) for rows in cold]) if cold else None


def _sum_known_estimates(numbers: list[Estimate | None]) -> Estimate | None:
    estimates = [number for number in numbers if number is not None]
    return sum_estimates(estimates) if len(estimates) == len(numbers) else None


_TABLES = ("message", "external_call", "request", "response", "funnel")


def bytes_a_message() -> float | None:
    """Return the average bytes of a message with all its rows and indexes; None: not counted yet."""
    rows_of_tables = statements.fetch_rows("table_sizes", {"tables": list(_TABLES)})
    sizes = {name: (size, rows) for name, size, rows in rows_of_tables}
    messages = sizes.get("message", (0, 0))[1]
    return sum(size for size, _ in sizes.values()) / messages if messages > 0 else None


_SAMPLES = 10
_COLUMNS = ("msg_id", "state", "service_name", "failed_error_code", "funnel_component_id")
# The share of the time limit for sampling the set.
_FOR_SAMPLES = 0.7


def quick_preview(request: JobRequest, deadline: Deadline) -> SetReport:
    """
    Return the effect of a job, as exactly as the time allows.

    `planned` includes skipped messages and the rest of their families; `kept` and `systems` have None for
    what is not known in time.

    Args:
        request: options that are left out have their defaults.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
        django.db.OperationalError: the database did not answer in that time, not even with a bound.
        TimeIsUp: the preview was not complete in time, and the deadline gives up.
    """
    spec = request.spec
    filters, cutoff = filter_of_request(request), cutoff_of(request)
    allowed = spec.acts_on() if spec.acts_on else None
    pieces = _take_samples(pieces_of_set(spec, filters, cutoff=cutoff, allowed=allowed), deadline)
    samples = [sample for _, sample in pieces]
    judged = _judge_parts(request, pieces, cutoff, deadline)
    to_do = sum_estimates(each.to_do for each in judged)
    report = start_report(request, planned=sum_estimates(each.planned for each in judged), to_do=to_do)
    again = _calls_sent_again(request, judged, deadline)
    left_out = _count_kept(spec, filters, cutoff, deadline)
    weight = bytes_a_message() if spec.frees_space else None
    by_column: SetReport = {
        "by_state": count_by_column(samples, 1),
        "by_service": count_by_column(samples, 2),
        "by_error": count_by_column(samples, 3),
        "by_funnel": count_by_column(samples, 4),
    }
    return narrow_to_changes(
        report
        | by_column
        | {
            "skipped": _skipped_counts(judged),
            "kept": rounded_or_none(left_out),
            "kept_between": {
                reason: number.span for reason, number in left_out.items() if number is not None
            },
            "systems": again and again[0],
            "samples": _pick_samples(judged),
            "bytes": None if weight is None else round(weight * to_do.about),
            "basis": _bases_of_numbers(samples, judged, looked_for_systems=again[1] if again else 0),
            "is_exact": all(sample.is_whole for sample in samples),
        }
        | _changes_of(request, pieces, deadline)
    )


def _changes_of(request: JobRequest, pieces: Sequence[tuple[Piece, Sample]], deadline: Deadline) -> SetReport:
    """Return `changes`, if the job changes payloads and some were read in time."""
    if not request.spec.changes_payloads:
        return {}
    ids = [row[0] for piece, sample in pieces if piece.is_acted_on for row in sample.rows]
    changes = preview_changes(request.options, ids, deadline)
    return {} if changes is None else {"changes": changes}


def _take_samples(pieces: Sequence[Piece], deadline: Deadline) -> list[tuple[Piece, Sample]]:
    """Sample every piece, each for its share of the time."""
    for_samples = deadline.part_of_time(_FOR_SAMPLES)
    return [
        (piece, take_sample(piece.rows, _COLUMNS, for_samples.part_of_time(1 / (len(pieces) - number))))
        for number, piece in enumerate(pieces)
    ]


def _judge_parts(
    request: JobRequest,
    samples: Sequence[tuple[Piece, Sample]],
    cutoff: datetime | None,
    deadline: Deadline,
) -> list[Judged]:
    also_resent = bool(request.options.get("also_resent"))
    acted_on = sum(1 for piece, sample in samples if piece.is_acted_on and sample.rows)
    judged = []
    for piece, sample in samples:
        if not piece.is_acted_on:
            judged.append(Judged.all_skipped(sample, SkipReason.STATE_CONFLICT))
            continue
        part = deadline.part_of_time(1 / (acted_on + 1))
        look_up = look_up_families(request.spec, piece.rows, cutoff, also_resent=also_resent)
        judged.append(judge_sample(sample, look_up, part))
        acted_on -= bool(sample.rows)
    return judged


def _skipped_counts(judged: Sequence[Judged]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in judged:
        counts.update(each.skipped)
    return {str(reason): round(number) for reason, number in counts.items() if round(number)}


def _count_kept(
    spec: KindSpec, filters: MessageFilter, cutoff: datetime | None, deadline: Deadline
) -> dict[str, Estimate | None]:
    counts: dict[str, Estimate | None] = {}
    if cutoff is not None:
        counts[NOT_OLD_ENOUGH] = kept_for_age(spec, filters, cutoff, deadline)
    if not spec.reads_parquet:
        counts |= kept_in_parquet(filters, deadline)
    return counts


def kept_in_parquet(filters: MessageFilter, deadline: Deadline) -> dict[str, Estimate | None]:
    """Return the number of messages in Parquet files that an export leaves out; None: not known in time."""
    cold = estimate_in_parquet(filters, deadline)
    return {} if cold is not None and not cold.most else {IN_PARQUET: cold}


def rounded_or_none(numbers: Mapping[str, Estimate | None]) -> dict[str, int | None]:
    """Return numbers by reason for a report; None: not known in time."""
    return {reason: None if number is None else round(number.about) for reason, number in numbers.items()}


def _calls_sent_again(
    request: JobRequest, judged: Sequence[Judged], deadline: Deadline
) -> tuple[dict[str, dict[str, int]], int] | None:
    if not request.spec.shows_systems:
        return None
    weights = {msg_id: each.weight for each in judged for msg_id in each.doing}
    return systems_called(weights, total=bool(request.options.get("total")), deadline=deadline)


def _pick_samples(judged: Sequence[Judged]) -> list[int]:
    """Return ids that are spread evenly over the sample."""
    ids = sorted(msg_id for each in judged for msg_id in each.doing)
    step = max(1, len(ids) // _SAMPLES)
    return ids[::step][:_SAMPLES]


def _bases_of_numbers(
    samples: Sequence[Sample], judged: Sequence[Judged], *, looked_for_systems: int
) -> dict[str, Basis]:
    looked_at = sum(len(sample.rows) for sample in samples)
    are_counted = all(each.is_exact for each in judged)
    doing = sum(len(each.doing) for each in judged)
    unknown: Basis = {"is_exact": False, "looked_at": 0}
    return {
        "counts": {"is_exact": all(sample.is_whole for sample in samples), "looked_at": looked_at},
        "skipped": {"is_exact": are_counted, "looked_at": looked_at},
        "systems": {
            "is_exact": are_counted and looked_for_systems == doing,
            "looked_at": looked_for_systems,
        },
        "bytes": unknown,
        "seconds": unknown,
    }


PREVIEW = quick_preview
