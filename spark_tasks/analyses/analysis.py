"""
Compares failing messages with processed ones and returns what the failing ones have in common.

Source: docs/contributing/decisions/0040-analyses.md
"""

from dataclasses import dataclass

from spark_tasks.analyses.counting import Side
from spark_tasks.analyses.findings import choose_findings
from spark_tasks.analyses.predicates import find_candidates
from spark_tasks.analyses.reports import Finding

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
        failing_unreadable, passing_unreadable: payloads and envelopes that are not well-formed.
        comparisons: properties that were compared.
        is_comparable: whether there were enough messages on both sides.
    """

    findings: tuple[Finding, ...]
    failing: int
    passing: int
    failing_unreadable: int
    passing_unreadable: int
    comparisons: int
    is_comparable: bool


def compare_sides(failing: Side, passing: Side) -> Analysis:
    """
    Compare failing messages with processed ones.

    Each side is read once, and again if properties differ so much that they are counted exactly, with pairs.

    Raises:
        Exception: Spark's, and those of the sides' progress.
    """
    of_failing, of_passing = failing.count_facts(), passing.count_facts()
    is_comparable = of_failing.messages >= MIN_FAILING and of_passing.messages >= MIN_PASSING
    candidates = find_candidates(of_failing, of_passing)
    findings: list[Finding] = []
    if is_comparable and candidates.predicates:
        findings = choose_findings(
            candidates.predicates,
            failing.count_pairs(candidates.predicates),
            passing.count_pairs(candidates.predicates),
            comparisons=candidates.comparisons,
        )
    return Analysis(
        findings=tuple(findings),
        failing=of_failing.messages,
        passing=of_passing.messages,
        failing_unreadable=of_failing.unreadable,
        passing_unreadable=of_passing.unreadable,
        comparisons=candidates.comparisons,
        is_comparable=is_comparable,
    )
