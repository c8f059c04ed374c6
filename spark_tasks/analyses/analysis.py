"""
Compares failing messages with processed ones and returns what the failing ones have in common.

Source: docs/contributing/decisions/0041-analyses.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_tasks.analyses.counting import PairCounts, Side
from spark_tasks.analyses.findings import choose_findings
from spark_tasks.analyses.predicates import Candidates, find_candidates
from spark_tasks.analyses.reports import Finding
from spark_tasks.analyses.sketches import SideCounts

# With fewer messages on a side, no difference is distinguishable from coincidence.
MIN_FAILING = 5
MIN_PASSING = 20


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """
    The result of a comparison.

    Args:
        findings: the one that explains most failures first; empty if there is nothing in common.
        failing, passing: compared messages.
        unreadable: payloads and envelopes of both sides that are not well-formed.
        comparisons: properties that were compared.
        is_comparable: whether there were enough messages on both sides.
    """

    findings: tuple[Finding, ...]
    failing: int
    passing: int
    unreadable: int
    comparisons: int
    is_comparable: bool


class SampledSide(NamedTuple):
    """All messages of a side, and a sample that is large enough to find candidates."""

    everything: Side
    sample: Side


def compare_sides(failing: SampledSide, passing: SampledSide) -> Analysis:
    """
    Compare failing messages with processed ones.

    Samples are read once for candidates. If there are any, they are counted exactly over all messages.

    Raises:
        Exception: Spark's, and those of the sides' progress.
    """
    samples = failing.sample.count_facts(), passing.sample.count_facts()
    is_comparable = samples[0].messages >= MIN_FAILING and samples[1].messages >= MIN_PASSING
    candidates = find_candidates(*samples)
    if not (is_comparable and candidates.predicates):
        return _make_analysis(samples, candidates, [], is_comparable=is_comparable)
    counts = (
        failing.everything.count_pairs(candidates.predicates),
        passing.everything.count_pairs(candidates.predicates),
    )
    findings = choose_findings(candidates.predicates, *counts, comparisons=candidates.comparisons)
    return _make_analysis(counts, candidates, findings, is_comparable=True)


def _make_analysis(
    counts: tuple[SideCounts | PairCounts, SideCounts | PairCounts],
    candidates: Candidates,
    findings: Sequence[Finding],
    *,
    is_comparable: bool,
) -> Analysis:
    failing, passing = counts
    return Analysis(
        findings=tuple(findings),
        failing=failing.messages,
        passing=passing.messages,
        unreadable=failing.unreadable + passing.unreadable,
        comparisons=candidates.comparisons,
        is_comparable=is_comparable,
    )
