"""The effect of a job as its page shows it: from the quick preview, or from the report of a dry run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.urls import reverse

from messages_app.core.charts.bars import Bar, make_bars
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.labels import list_link, reason_words
from messages_app.jobs.models import Job
from messages_app.jobs.preview.changes import leave_out_skipped
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.stores import store_of
from messages_app.jobs.stores.store import Item, Store, items_of
from messages_app.shared.job_records import (
    Bounds,
    ChangesReport,
    Counts,
    DryRunMessage,
    DryRunReport,
    Given,
    SetReport,
)
from messages_app.shared.job_states import SkipReason
from messages_app.shared.store_states import name_of


@dataclass(frozen=True, kw_only=True)
class DryRunLine:
    """One message of the dry run: its status after the attempt, and its records by the change to them."""

    identifier: str
    address: str
    words: str
    error: str
    new: int
    changed: int
    unchanged: int
    ended: int


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """The messages of a dry run with their sums. `ends` are (status in words, number of messages)."""

    looked_at: int
    new: int
    changed: int
    unchanged: int
    ended: int
    ends: Sequence[tuple[str, int]]
    messages: Sequence[DryRunLine]


def dry_run_of(report: DryRunReport | None, store: Store[Any]) -> DryRun | None:
    """Return the dry run of single messages from a report, or None if the report has none."""
    if not report:
        return None
    return DryRun(
        looked_at=report["looked_at"],
        **_count_records(report["records"]),
        ends=[
            (_describe_status(int(status)), count) for status, count in sorted(report["by_status"].items())
        ],
        messages=[_line_of_message(each, store) for each in report["messages"]],
    )


def _line_of_message(message: DryRunMessage, store: Store[Any]) -> DryRunLine:
    return DryRunLine(
        identifier=message["identifier"],
        address=reverse(store.item_route, args=[message["identifier"]]),
        words=_describe_status(message["status"]),
        error=message["error"],
        **_count_records(message["records"]),
    )


def _count_records(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in ("new", "changed", "unchanged", "ended")}


def _describe_status(status: int) -> str:
    return f"{status} {name_of(status)}"


_SHOWN = 8


@dataclass(frozen=True, kw_only=True)
class Group:
    """
    Messages by the values of one column, the most frequent first. `others` are messages with one of `hidden`
    more values.

    Args:
        is_filtered: the filter of the job names values of the column.
    """

    title: str
    column: str
    bars: list[Bar]
    hidden: int
    others: int
    is_filtered: bool

    def is_common(self, planned: int) -> bool:
        """Whether all messages of the set have the same value."""
        return len(self.bars) == 1 and self.bars[0].count >= planned


@dataclass(frozen=True, kw_only=True)
class System:
    """
    Calls to one external system: `again` are sent again, of which `repeated` succeeded before.

    `asked_before` is the number of messages that have sent it requests, with or without recorded calls.
    """

    name: str
    again: int
    repeated: int
    skipped: int
    asked_before: int


@dataclass(frozen=True, kw_only=True)
class Figures:
    """
    Args:
        planned, to_do: messages of the set, and messages that would not be skipped.
        link: the address of the list of the set; empty: no list has exactly these messages.
        relatives: messages of the set that do not match the filter, but are of a family with one that does.
        is_exact: the groups were counted; otherwise they are estimates.
        looked_at: the number of rows behind an estimate; 0: not known.
        has_resent: some are skipped because they were corrected and resent.
        groups: messages by the values of columns with several values; common: (title, value) of the others,
            without columns of the filter.
        left_out: (words, number of messages) outside of the set; None: the number is not known.
        systems: the external systems; None: not known, or the job is not a restart.
        seconds: the expected duration; None: not known. `rate`: the messages per second behind it.
        dry_run: the changes that the first messages of a reprocess job would make; None: not known.
        changes: the changes that a resend job would make to the first payloads; None: not known.
        freed_bytes: the bytes that an archive job frees in the live tables; None: not known.
    """

    planned: Estimate
    to_do: Estimate
    link: str
    relatives: int
    is_exact: bool
    looked_at: int
    groups: list[Group]
    common: list[tuple[str, str]]
    skipped: list[Bar]
    left_out: list[tuple[str, Estimate | None]]
    systems: list[System] | None
    systems_exact: bool
    samples: list[Item]
    seconds: float | None
    rate: float | None
    rate_is_chosen: bool
    freed_bytes: int | None
    has_resent: bool
    dry_run: DryRun | None = None
    changes: ChangesReport | None = None

    @property
    def left(self) -> Estimate:
        """Messages of the set that would be skipped."""
        # Both are from the same sample, so both are too small or both too large.
        least, most = sorted((self.planned.least - self.to_do.least, self.planned.most - self.to_do.most))
        about = self.planned.about - self.to_do.about
        return Estimate(least=max(0, min(least, about)), about=max(0, about), most=max(0, most, about))

    @property
    def again(self) -> int:
        return sum(system.again for system in self.systems or ())

    @property
    def repeated(self) -> int:
        return sum(system.repeated for system in self.systems or ())


def figures_of_job(job: Job) -> Figures | None:
    """Return the figures of a dry run or, until it has counted, of its estimate; None if it has neither."""
    if "planned" in job.report:
        return figures_of(job.report | {"is_exact": True}, kind=job.kind, filter=job.filter)
    estimate = job.report.get("estimate")
    return figures_of(estimate, kind=job.kind, filter=job.filter) if estimate else None


def figures_of(report: SetReport, *, kind: str, filter: Given) -> Figures:
    """Return the figures of a report, from a quick preview or from a dry run."""
    skips: Mapping[str, int] = report.get("skipped") or {}
    to_do = report.get("to_do", report["planned"] - sum(skips.values()))
    basis = report.get("basis") or {}
    is_exact = bool(report.get("is_exact"))
    groups = list(_iterate_groups(report, kind, filter))
    relatives = _count_relatives(report) if spec_of(kind).moves_rows else 0
    return Figures(
        planned=_with_bounds(report["planned"], report.get("planned_between")),
        to_do=_with_bounds(to_do, report.get("to_do_between")),
        link="" if relatives or not spec_of(kind).is_of_list else list_link(kind, filter),
        relatives=relatives,
        is_exact=is_exact,
        looked_at=basis["counts"]["looked_at"] if "counts" in basis else 0,
        groups=[group for group in groups if group.bars and not group.is_common(report["planned"])],
        common=[
            (group.title, group.bars[0].label)
            for group in groups
            if group.is_common(report["planned"]) and not group.is_filtered
        ],
        skipped=make_bars((reason_words(name), count, "") for name, count in _largest_first(skips)),
        left_out=_count_left_out(report),
        systems=_list_systems(report.get("systems")),
        systems_exact=basis["systems"]["is_exact"] if "systems" in basis else is_exact,
        samples=list(items_of(store_of(kind), report.get("samples") or ()).values()),
        seconds=report.get("seconds"),
        rate=report.get("rate"),
        rate_is_chosen=bool(report.get("rate_is_chosen")),
        dry_run=dry_run_of(report.get("rehearsal"), store_of(kind)),
        changes=leave_out_skipped(report.get("changes"), skips),
        freed_bytes=_freed_bytes(report),
        has_resent=SkipReason.ALREADY_RESENT in skips,
    )


def _count_relatives(report: SetReport) -> int:
    by_state = report.get("by_state")
    return max(0, report["planned"] - sum(by_state.values())) if by_state else 0


def _count_left_out(report: SetReport) -> list[tuple[str, Estimate | None]]:
    bounds = report.get("kept_between") or {}
    return [
        (reason_words(reason), None if count is None else _with_bounds(count, bounds.get(reason)))
        for reason, count in (report.get("kept") or {}).items()
        if count != 0
    ]


def _with_bounds(about: int, bounds: Bounds | None) -> Estimate:
    """Return a number of a report with its bounds. A number without bounds is exact."""
    least, most = bounds or (about, about)
    return Estimate(least=least, about=about, most=most)


def _iterate_groups(report: SetReport, kind: str, filter: Given) -> Iterator[Group]:
    for name, title, column in store_of(kind).groups:
        by_value = cast(Counts, report.get(name) or {})
        counts = _largest_first({value: count for value, count in by_value.items() if value})
        rest = counts[_SHOWN:]
        yield Group(
            title=title,
            column=column,
            bars=make_bars(
                (value, count, list_link(kind, {**filter, column: value})) for value, count in counts[:_SHOWN]
            ),
            hidden=len(rest),
            others=sum(count for _, count in rest),
            is_filtered=column in filter,
        )


def _freed_bytes(report: SetReport) -> int | None:
    """Return the bytes that an archive job frees: counted by table, or estimated."""
    by_table = report.get("would_free_bytes")
    return report.get("bytes") if by_table is None else sum(by_table.values())


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _list_systems(calls: Mapping[str, Mapping[str, int]] | None) -> list[System] | None:
    if calls is None:
        return None
    systems = (
        System(
            name=name,
            again=counts.get("sent_again", 0),
            repeated=counts.get("repeated", 0),
            skipped=counts.get("skipped", 0),
            asked_before=counts.get("asked_before", 0),
        )
        for name, counts in calls.items()
    )
    return sorted(systems, key=lambda system: (-system.again, -system.skipped, system.name))
