"""
The JSON columns of a job as typed records. Imports no Django code.

Filter and options from a caller are `Given`: any JSON. Checks convert them to `JobFilter` and `JobOptions`.

Source: docs/contributing/spec/interfaces.md, "Jobs".
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Given = Mapping[str, object]

# Values as in the address of the list of the kind's store, by filter name.
JobFilter = dict[str, str | list[str]]

Counts = dict[str, int]
# The minimum and maximum of an estimated number.
Bounds = Sequence[int]


class JobOptions(TypedDict, total=False):
    """The options of all kinds. A job has the options of its kind, each with its value or default."""

    older_than_months: int
    to: Literal["tables", "parquet"]
    total: bool
    also_resent: bool
    refresh_entities: list[str] | None
    rate: float | None
    canary: int | None
    stop_at_failure_rate: float | None
    format: Literal["csv", "jsonl", "parquet"]
    payload: bool
    compare_with: JobFilter | None
    definition_id: int | None
    find: str | None
    replace: str | None
    path: str | None
    value: str | None
    cancel_original: bool


class Basis(TypedDict):
    """The basis of an estimate: the number of rows that were read, and whether the result is exact."""

    is_exact: bool
    looked_at: int


class DryRunMessage(TypedDict):
    """The result of an attempt at one message: its status, and its records by the change to them."""

    identifier: str
    status: int
    error: str
    records: Counts


class DryRunReport(TypedDict):
    """The changes that attempts at the first messages of a reprocess job would make."""

    looked_at: int
    by_status: Counts
    records: Counts
    messages: list[DryRunMessage]


class ChangeKind(TypedDict):
    """The messages with changes at one place: elements, an attribute or members; empty: elsewhere."""

    place: str
    messages: int
    example: int


class ChangesReport(TypedDict):
    """
    The changes that a resend job would make, by place. It has no contents.

    Attributes:
        looked_at: payloads that were read; `changed`, and `refused` by the reason, are how many of these.
        kinds: the most frequent places; `hidden` more are left out.
    """

    looked_at: int
    changed: int
    refused: Counts
    kinds: list[ChangeKind]
    hidden: int


class SetReport(TypedDict, total=False):
    """
    The figures of a job's set: counted by a dry run, or estimated by a preview.

    `docs/reference/jobs.md` describes the members. A preview has all members from `kind` to `basis`; the
    report of a dry run has the ones that its kind counts.
    """

    kind: str
    at: str
    planned: int
    to_do: int
    planned_between: Bounds
    to_do_between: Bounds
    by_state: Counts
    by_service: Counts
    by_error: Counts
    by_funnel: Counts
    by_system: Counts
    by_entity: Counts
    skipped: Counts
    kept: dict[str, int | None]
    kept_between: dict[str, Bounds]
    systems: dict[str, Counts] | None
    samples: list[int]
    seconds: float | None
    rate: float | None
    rate_is_chosen: bool
    bytes: int | None
    is_exact: bool
    basis: dict[str, Basis]
    would_move: Counts
    would_free_bytes: Counts
    kept_responses_without_time: int
    rehearsal: DryRunReport
    changes: ChangesReport


class Canary(TypedDict):
    """The status of the messages of a test batch."""

    size: int
    ok: int
    failed: int
    open: int
    other: int
    decided_at: str | None


class FailureRate(TypedDict):
    """The failures that stopped a job."""

    tried: int
    failed: int
    limit: float


class ExportFile(TypedDict):
    """The file of an export, with its address in the API."""

    name: str
    rows: int
    bytes: int
    sha256: str
    download: str


class PredicateReport(TypedDict):
    """A property of messages. `length` is 0 except for kinds of lengths."""

    source: str
    field: str
    kind: str
    value: str
    length: int
    is_sensitive: bool


class FindingReport(TypedDict):
    """A finding of an analysis with its numbers, unmasked."""

    predicates: list[PredicateReport]
    same_as: list[PredicateReport]
    failing: int
    failing_total: int
    passing: int
    passing_total: int
    lift: float | None
    influence: float
    difference: float
    difference_low: float
    difference_high: float


class ComparisonReport(TypedDict):
    """
    The messages that an analysis compared.

    Args:
        start, end: the receipt of the failing ones, with time zone.
        uncompared: failing messages of services that processed none.
        days: the days before and after from which processed ones were taken too, as few are of the time.
        archived: processed ones that are in the archive tables, about.
        unreadable: payloads and envelopes that are not well-formed.
        comparisons: properties that were compared.
        is_comparable: there were enough messages on both sides.
    """

    failing: int
    passing: int
    services: list[str]
    start: str
    end: str
    uncompared: int
    days: int
    archived: int
    unreadable: int
    comparisons: int
    is_comparable: bool


class JobReport(SetReport, total=False):
    """The members of a job's report, in the order in which they are added."""

    estimate: SetReport
    confirmed: int
    second_person_from: int
    approved_by: str
    approved_at: str
    canary: Canary
    failure_rate: FailureRate
    moved: Counts
    orphans: dict[str, Counts]
    freed_bytes: Counts
    parquet_bytes: int
    second_rows_removed: int
    parts_left_in_parquet: int
    grouped: int
    read: int
    to_read: int
    findings: list[FindingReport]
    comparison: ComparisonReport
    files: list[ExportFile]
    expires_at: str
    removed_at: str


class RecentRun(TypedDict):
    """A run of a schedule: its time (ISO 8601), "created", "skipped" or "refused", and its job."""

    at: str
    outcome: Literal["created", "skipped", "refused"]
    job: int | None
