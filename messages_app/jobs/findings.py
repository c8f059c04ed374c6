"""The findings of analyses for the API and for pages, masked for users without the right to payloads."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.jobs.kinds.registry import ANALYSE
from messages_app.jobs.labels import list_link
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import has_hidden_messages
from messages_app.messages.filters.message_filter import FILTERS
from messages_app.shared.job_records import FindingReport, JobFilter
from spark_tasks.analyses.facts import MAX_VALUE_CHARS
from spark_tasks.analyses.fields import Source
from spark_tasks.analyses.predicates import Kind
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.reports import Finding, mask_finding, read_finding
from spark_tasks.analyses.sentences import (
    MIN_FOR_PERCENT,
    format_number,
    format_share,
    name_field,
    write_alternatives,
    write_sentence,
)

FINDINGS = "findings"
# Of the newest analyses, which are searched for those of a group or an incident.
_MAX_SEARCHED = 200


@dataclass(frozen=True, kw_only=True)
class SideBar:
    """The bar of one side of a finding: its width of 100, and the numbers in words."""

    label: str
    width: float
    words: str


@dataclass(frozen=True, kw_only=True)
class ShownFinding:
    """
    A finding as one user may see it.

    Args:
        alternatives: a sentence with other properties of the same messages, or empty.
        address: the list of the failing messages with the property; empty if no filter expresses it.
    """

    finding: Finding
    sentence: str
    alternatives: str
    bars: tuple[SideBar, SideBar]
    address: str

    @property
    def field(self) -> str:
        return " and ".join(name_field(each.field) for each in self.finding.predicates)

    @property
    def value(self) -> str:
        """The values; for a property of another kind its words, such as missing, or the length."""
        return " and ".join(
            each.value or (f"{each.kind} {each.length}" if each.is_length else str(each.kind))
            for each in self.finding.predicates
        )


def is_masked_for(user: Caller | None) -> bool:
    return user is None or not user.has_perm(roles.CAN_VIEW_PAYLOAD)


def has_findings(job: Job, user: Caller) -> bool:
    """
    Whether an analysis has an answer that the user may see. Findings about messages of a payload search say
    something about the payloads.
    """
    return FINDINGS in job.report and not has_hidden_messages(job, user)


def show_findings(job: Job, user: Caller) -> list[ShownFinding]:
    """Return the findings of an analysis, most important first."""
    return [
        _show_finding(each, job.filter) for each in _read_findings(job.report, is_masked=is_masked_for(user))
    ]


def _read_findings(report: object, *, is_masked: bool) -> Iterator[Finding]:
    """Yield the findings of a report. One that someone edited in the database is left out."""
    reports = report.get(FINDINGS) if isinstance(report, Mapping) else None
    for each in reports if isinstance(reports, list) else []:
        try:
            stored = cast(FindingReport, each)
            yield read_finding(mask_finding(stored) if is_masked else stored)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            continue


def _show_finding(finding: Finding, job_filter: object) -> ShownFinding:
    return ShownFinding(
        finding=finding,
        sentence=write_sentence(finding),
        alternatives=write_alternatives(finding),
        bars=_make_bars(finding.shares),
        address=_address_of(finding, job_filter),
    )


def _make_bars(shares: Shares) -> tuple[SideBar, SideBar]:
    return (
        _make_bar("Failing", shares.failing, shares.failing_total),
        _make_bar("Processed", shares.passing, shares.passing_total),
    )


def _make_bar(label: str, number: int, total: int) -> SideBar:
    share = number / total if total else 0
    words = f"{format_number(number)} of {format_number(total)}"
    if number and total >= MIN_FOR_PERCENT:
        words = f"{words} ({format_share(share) if number < total else '100 %'})"
    return SideBar(label=label, width=round(100 * share, 2), words=words)


def _address_of(finding: Finding, job_filter: object) -> str:
    """Return the list of failing messages with the property; empty if no filter expresses it."""
    if not isinstance(job_filter, Mapping):
        return ""
    values: JobFilter = {}
    for each in finding.predicates:
        name = each.field.path
        is_filter = each.field.source is Source.COLUMN and each.kind is Kind.VALUE and name in FILTERS
        if not is_filter or len(each.value) > MAX_VALUE_CHARS:
            return ""
        values[name] = each.value
    return list_link(ANALYSE.kind, {**job_filter, **values})


def represent_findings(job: Job, user: Caller | None) -> list[dict[str, object]]:
    """Return the findings of an analysis for the API. Without a user they are masked."""
    findings = _read_findings(job.report, is_masked=is_masked_for(user))
    return [_represent_finding(_show_finding(each, {})) for each in findings]


def _represent_finding(view: ShownFinding) -> dict[str, object]:
    shares = view.finding.shares
    return {
        "field": view.field,
        "value": view.value,
        **shares._asdict(),
        "lift": None if shares.lift is None else round(shares.lift, 2),
        "sentence": view.sentence,
        "same_as": view.alternatives,
    }


def newest_analysis(jobs: Iterable[Job], *, filter_name: str, cause_id: int) -> Job | None:
    """
    Return the newest of these analyses that compared the messages of a failure group or an incident.

    Args:
        filter_name: the filter of messages by such a cause.
    """
    return next((job for job in jobs if str(job.filter.get(filter_name)) == str(cause_id)), None)


def read_newest_analyses() -> list[Job]:
    """Return the newest analyses, the newest one first."""
    return list(Job.objects.filter(kind=ANALYSE.kind, dry_run=False).order_by("-job_id")[:_MAX_SEARCHED])
