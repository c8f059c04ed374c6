"""
The findings of an analysis as records, and as JSON in the report of a job.

This module loads neither Spark nor numpy, because web processes import it. Source:
docs/contributing/decisions/0041-analyses.md, "Report".
"""

from dataclasses import dataclass

from messages_app.shared.job_records import FindingReport, PredicateReport
from messages_app.shared.text_safety import MASK
from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares, compute_difference_interval, compute_influence


@dataclass(frozen=True)
class Finding:
    """
    Something that failing messages have in common.

    Args:
        predicates: one, or a pair that counts only together.
        same_as: other predicates of the same messages.
    """

    predicates: tuple[Predicate, ...]
    shares: Shares
    same_as: tuple[Predicate, ...] = ()


def write_finding(finding: Finding) -> FindingReport:
    """Return the record of a finding, with unmasked values."""
    shares, interval = finding.shares, compute_difference_interval(finding.shares)
    return {
        "predicates": [_write_predicate(each) for each in finding.predicates],
        "same_as": [_write_predicate(each) for each in finding.same_as],
        **shares._asdict(),  # type: ignore[typeddict-item]
        "lift": None if shares.lift is None else round(shares.lift, 2),
        "influence": round(compute_influence(shares), 4),
        "difference": round(shares.difference, 4),
        "difference_low": round(interval.low, 4),
        "difference_high": round(interval.high, 4),
    }


def read_finding(report: FindingReport) -> Finding:
    """Return the finding of a record, masked or not."""
    shares = Shares(*(report[name] for name in Shares._fields))  # type: ignore[literal-required]
    predicates, same_as = (
        tuple(_read_predicate(each) for each in each_list)
        for each_list in (report["predicates"], report["same_as"])
    )
    return Finding(predicates, shares, same_as)


def mask_finding(report: FindingReport) -> FindingReport:
    """
    Return a record as users without the right to payloads see it.

    Names of XML elements and lengths stay, as in a masked payload. A JSON text is hidden completely, and so
    are its names.
    """
    masked = report.copy()
    masked["predicates"] = [_mask_predicate(each) for each in report["predicates"]]
    masked["same_as"] = [_mask_predicate(each) for each in report["same_as"]]
    return masked


def is_sensitive(predicate: Predicate) -> bool:
    """Whether a predicate shows a part of a payload or an envelope that masking hides."""
    if predicate.field.source is Source.COLUMN or predicate.field.is_whole_text:
        return False
    return predicate.kind is Kind.VALUE or predicate.field.is_json


def _write_predicate(predicate: Predicate) -> PredicateReport:
    return {
        "source": predicate.field.source.value,
        "field": predicate.field.path,
        "kind": predicate.kind.value,
        "value": predicate.value,
        "length": predicate.length,
        "is_sensitive": is_sensitive(predicate),
    }


def _read_predicate(report: PredicateReport) -> Predicate:
    field = Field(Source(report["source"]), report["field"])
    return Predicate(field, Kind(report["kind"]), report["value"], report["length"])


def _mask_predicate(report: PredicateReport) -> PredicateReport:
    if not report["is_sensitive"]:
        return report
    masked = report.copy()
    if report["value"]:
        masked["value"] = MASK
    if report["field"].startswith("$"):
        masked["field"] = MASK
    return masked
