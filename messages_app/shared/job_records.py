"""
The JSON columns of a job as typed records. Imports nothing of Django.

A caller's filter and options are `Given`: any JSON. Checks turn them into `JobFilter` and `JobOptions`.
Source: docs/spec/interfaces.md, "Jobs".
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Given = Mapping[str, object]

# By the names of the list of the kind's store, the values as its address has them.
JobFilter = dict[str, str]

Counts = dict[str, int]
# The least and the most that a number may be.
Bounds = Sequence[int]


class JobOptions(TypedDict, total=False):
    """The options of all kinds. A job has those of its kind, each with its value or its default."""

    older_than_months: int
    to: Literal["tables", "parquet"]
    total: bool
    refresh_entities: list[str] | None
    rate: float | None
    canary: int | None
    stop_at_failure_rate: float | None
    format: Literal["csv", "jsonl", "parquet"]
    payload: bool


class Basis(TypedDict):
    """What a figure of an estimate rests on: rows that were read, and whether it was counted."""

    is_exact: bool
    looked_at: int


class RehearsedMessage(TypedDict):
    """How an attempt at one message would end, and its records by what would become of them."""

    identifier: str
    status: int
    error: str
    records: Counts


class Rehearsal(TypedDict):
    """What attempts at the first messages of a reprocess job would change."""

    looked_at: int
    by_status: Counts
    records: Counts
    messages: list[RehearsedMessage]


class SetReport(TypedDict, total=False):
    """
    What is known of a job's set: counted by a dry run, or estimated by a preview.

    `docs/jobs.md` describes the members. A preview has all of `kind` to `basis`; the report of a dry run has
    those that its kind counts.
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
    rehearsal: Rehearsal


class Canary(TypedDict):
    """How the messages of a test batch ended."""

    size: int
    ok: int
    failed: int
    open: int
    other: int
    decided_at: str | None


class FailureRate(TypedDict):
    """The messages whose failures stopped a job."""

    tried: int
    failed: int
    limit: float


class ExportFile(TypedDict):
    """The file of an export, with the address at which the API gives it."""

    name: str
    rows: int
    bytes: int
    sha256: str
    download: str


class JobReport(SetReport, total=False):
    """What the report of a job may hold, in the order in which a job comes by it."""

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
    parts_left_in_parquet: int
    grouped: int
    files: list[ExportFile]
    expires_at: str
    removed_at: str
