"""
The first estimate of a job's effect, within two seconds for any number of messages and any filter.

Small sets are read completely, large sets by a sample; each number has its basis and its bounds. A preview
writes nothing and waits for nothing: numbers that are not known in time are left open. The dry run of a job
counts exactly.

Source: docs/contributing/spec/design.md, "Bulk work", "Budgets".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import cast

from django.db import connection
from django.utils import timezone

from messages_app.access.actors import Caller
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.labels import IN_PARQUET, NOT_OLD_ENOUGH
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.effects import systems_called
from messages_app.jobs.preview.estimates import Estimate, sum_estimates
from messages_app.jobs.preview.pace import pace_of
from messages_app.jobs.preview.samples import Sample, take_sample
from messages_app.jobs.preview.sets import (
    Piece,
    cutoff_of,
    filter_of,
    in_parquet,
    kept_for_age,
    pieces_of_set,
)
from messages_app.jobs.preview.skip_estimate import Judged, judge_sample
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.shared.job_records import Given, JobOptions, SetReport
from messages_app.shared.job_states import SkipReason

statements = Statements("messages_app.jobs.preview")


_TABLES = ("message", "external_call", "request", "response", "funnel")


def bytes_a_message() -> float | None:
    """Return the average bytes of a message with all its rows and indexes; None: not counted yet."""
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("table_sizes"), {"tables": list(_TABLES)})
        sizes = {name: (size, rows) for name, size, rows in cursor}
    messages = sizes.get("message", (0, 0))[1]
    return sum(size for size, _ in sizes.values()) / messages if messages > 0 else None


SECONDS = 1.7
_SAMPLES = 10
_MAX_GROUPS = 100
_COLUMNS = ("msg_id", "state", "service_name", "failed_error_code", "funnel_component_id")
_COUNTED = {
    "by_state": "state",
    "by_service": "service_name",
    "by_error": "failed_error_code",
    "by_funnel": "funnel_component_id",
}
# The share of the time limit for sampling the set.
_FOR_SAMPLES = 0.7


@dataclass(frozen=True, kw_only=True)
class Basis:
    """
    The basis of a number.

    Args:
        is_exact: it was counted at the time of the preview; otherwise it is an estimate.
        looked_at: rows that were read for it.
    """

    is_exact: bool
    looked_at: int


@dataclass(frozen=True, kw_only=True)
class QuickPreview:
    """
    The effect of a job if it ran now.

    Args:
        at: the time of the preview.
        planned: messages of the set, including skipped messages and the rest of their families.
        to_do: messages that would not be skipped.
        planned_between, to_do_between: the bounds of each; equal if it is exact.
        by_state, by_service, by_error, by_funnel: messages of the set by value, the 100 largest groups of
            each; the empty string counts messages without a value.
        skipped: messages by SkipReason.
        kept: the estimated number of messages outside of the set, by reason: not_old_enough for the archive,
            or in_parquet, which exports do not read; None: not known in time.
        kept_between: the bounds of each that is known.
        systems: for a restart, by external system: the calls that are skipped or sent_again, the repeated
            ones of these, which succeeded before, and the messages that asked_before; None: not known in
            time.
        samples: the ids of ten messages that would be done.
        seconds: the expected duration; None: no job of the kind has run yet.
        rate: messages per second, used for `seconds`; `rate_is_chosen`: it was requested, not measured.
        bytes: the bytes that the job frees in the live tables; None: another kind, or not known.
        basis: of `counts`, `skipped`, `systems`, `bytes` and `seconds`.
    """

    kind: str
    at: datetime
    planned: int
    to_do: int
    planned_between: tuple[int, int]
    to_do_between: tuple[int, int]
    by_state: dict[str, int]
    by_service: dict[str, int]
    by_error: dict[str, int]
    by_funnel: dict[str, int]
    skipped: dict[str, int]
    kept: dict[str, int | None]
    kept_between: dict[str, tuple[int, int]]
    systems: dict[str, dict[str, int]] | None
    samples: list[int]
    seconds: float | None
    rate: float | None
    rate_is_chosen: bool
    bytes: int | None
    basis: dict[str, Basis]

    @property
    def is_exact(self) -> bool:
        """Whether the counts of the set are exact."""
        return self.basis["counts"].is_exact

    def as_report(self) -> SetReport:
        """Return the preview as JSON, for `report.estimate` of a dry run."""
        return cast(SetReport, asdict(self) | {"at": self.at.isoformat(), "is_exact": self.is_exact})


def quick_preview(
    *,
    kind: str,
    filter: Given,
    options: JobOptions,
    user: Caller | None,
    seconds: float = SECONDS,
) -> QuickPreview:
    """
    Return the effect of a job, as exactly as `seconds` allow.

    Args:
        filter, options: as for create_job; options that are left out have their defaults.
        user: the user whose permissions decide about filters; None: the console itself.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
        django.db.OperationalError: the database did not answer in that time, not even with a bound.
    """
    deadline, spec = Deadline(seconds), spec_of(kind)
    filters = filter_of(filter, kind=kind, user=user)
    cutoff = cutoff_of(kind, options)
    allowed = spec.acts_on() if spec.acts_on else None
    samples = _take_samples(pieces_of_set(kind, filters, cutoff=cutoff, allowed=allowed), deadline)
    found = _judged_all(kind, samples, cutoff, deadline)
    planned, to_do = (
        sum_estimates(each.planned for each in found),
        sum_estimates(each.to_do for each in found),
    )
    pace = pace_of(kind, options.get("rate"))
    again = _calls_sent_again(kind, options, found, deadline)
    kept = _count_kept(kind, filters, cutoff, deadline)
    weight = bytes_a_message() if spec.frees_space else None
    return QuickPreview(
        kind=kind,
        at=timezone.now(),
        planned=round(planned.about),
        to_do=round(to_do.about),
        planned_between=planned.span,
        to_do_between=to_do.span,
        **{name: _count_by_column(samples, column) for name, column in _COUNTED.items()},
        skipped=_skipped_counts(found),
        kept=rounded_or_none(kept),
        kept_between={reason: number.span for reason, number in kept.items() if number is not None},
        systems=again and again[0],
        samples=_pick_samples(found),
        seconds=pace.seconds_for(to_do.about),
        rate=pace.rate,
        rate_is_chosen=pace.is_chosen,
        bytes=None if weight is None else round(weight * to_do.about),
        basis=_bases_of_numbers(samples, found, looked_for_systems=again[1] if again else 0),
    )


def _take_samples(found: Sequence[Piece], deadline: Deadline) -> list[tuple[Piece, Sample]]:
    """Sample every piece, each for its share of the time."""
    for_samples = deadline.part(_FOR_SAMPLES)
    return [
        (piece, take_sample(piece.rows, _COLUMNS, for_samples.part(1 / (len(found) - number))))
        for number, piece in enumerate(found)
    ]


def _judged_all(
    kind: str, samples: Sequence[tuple[Piece, Sample]], cutoff: datetime | None, deadline: Deadline
) -> list[Judged]:
    acted_on = sum(1 for piece, sample in samples if piece.is_acted_on and sample.rows)
    found = []
    for piece, sample in samples:
        if not piece.is_acted_on:
            found.append(Judged.all_skipped(sample, SkipReason.STATE_CONFLICT))
            continue
        part = deadline.part(1 / (acted_on + 1))
        found.append(judge_sample(kind, sample, piece.rows, cutoff=cutoff, deadline=part))
        acted_on -= bool(sample.rows)
    return found


def _skipped_counts(found: Sequence[Judged]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for each in found:
        counts.update(each.skipped)
    return {str(reason): round(number) for reason, number in counts.items() if round(number)}


def _count_kept(
    kind: str, filters: MessageFilter, cutoff: datetime | None, deadline: Deadline
) -> dict[str, Estimate | None]:
    kept: dict[str, Estimate | None] = {}
    if cutoff is not None:
        kept[NOT_OLD_ENOUGH] = kept_for_age(kind, filters, cutoff, deadline)
    if not spec_of(kind).reads_parquet:
        kept |= kept_in_parquet(filters, deadline)
    return kept


def kept_in_parquet(filters: MessageFilter, deadline: Deadline) -> dict[str, Estimate | None]:
    """Return the number of messages in Parquet files that an export leaves out; None: not known in time."""
    cold = in_parquet(filters, deadline)
    return {} if cold is not None and not cold.most else {IN_PARQUET: cold}


def rounded_or_none(kept: Mapping[str, Estimate | None]) -> dict[str, int | None]:
    """Return numbers by reason for a report; None: not known in time."""
    return {reason: None if number is None else round(number.about) for reason, number in kept.items()}


def _calls_sent_again(
    kind: str, options: JobOptions, found: Sequence[Judged], deadline: Deadline
) -> tuple[dict[str, dict[str, int]], int] | None:
    if not spec_of(kind).shows_systems:
        return None
    weights = {msg_id: each.weight for each in found for msg_id in each.doing}
    return systems_called(weights, total=bool(options.get("total")), deadline=deadline)


def _count_by_column(samples: Sequence[tuple[Piece, Sample]], column: str) -> dict[str, int]:
    """Return messages by the values of a column, without the rest of their families."""
    place = _COLUMNS.index(column)
    counts: dict[str, float] = {}
    for _, sample in samples:
        for row in sample.rows:
            name = row[place] or ""
            counts[name] = counts.get(name, 0) + sample.weight
    largest = sorted(counts.items(), key=lambda group: (-group[1], group[0]))[:_MAX_GROUPS]
    return {name: round(number) for name, number in largest}


def _pick_samples(found: Sequence[Judged]) -> list[int]:
    """Return ids that are spread evenly over the sample."""
    ids = sorted(msg_id for each in found for msg_id in each.doing)
    step = max(1, len(ids) // _SAMPLES)
    return ids[::step][:_SAMPLES]


def _bases_of_numbers(
    samples: Sequence[tuple[Piece, Sample]], found: Sequence[Judged], *, looked_for_systems: int
) -> dict[str, Basis]:
    looked_at = sum(len(sample.rows) for _, sample in samples)
    are_counted = all(each.is_exact for each in found)
    doing = sum(len(each.doing) for each in found)
    return {
        "counts": Basis(is_exact=all(sample.is_whole for _, sample in samples), looked_at=looked_at),
        "skipped": Basis(is_exact=are_counted, looked_at=looked_at),
        "systems": Basis(is_exact=are_counted and looked_for_systems == doing, looked_at=looked_for_systems),
        "bytes": Basis(is_exact=False, looked_at=0),
        "seconds": Basis(is_exact=False, looked_at=0),
    }


PREVIEW = quick_preview
