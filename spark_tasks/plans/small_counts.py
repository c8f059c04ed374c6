"""The counts of a plan for a dry run, from the task that made it: name and number, as plans.COUNTS."""

from collections import Counter
from collections.abc import Mapping, Sequence

from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import ChunkContent
from spark_tasks.plans.plan_writer import PlanRow

SAMPLES = 10
# Before the names of counts.
_STATE, _SKIPPED, _SAMPLE = "state:", "skipped:", "sample:"


def count_plan(planned: Sequence[PlanRow]) -> list[tuple[str, int]]:
    """Return the messages by state, the skipped messages by reason, and the first ids of the others."""
    counts: Counter[str] = Counter()
    moving: list[int] = []
    for content, _, row_id, state, reason in planned:
        if content != ChunkContent.MESSAGES:
            continue
        counts[f"{_STATE}{state}"] += 1
        if reason is None:
            moving.append(row_id)
        else:
            counts[f"{_SKIPPED}{reason}"] += 1
    samples = [(f"{_SAMPLE}{place}", row_id) for place, row_id in enumerate(sorted(moving)[:SAMPLES])]
    return [*counts.items(), *samples]


def report_of(counts: Mapping[str, int]) -> SetReport:
    """Return the report of a dry run from the counts of `count_plan`."""
    by_state = counts_of(_STATE, counts)
    return {
        "planned": sum(by_state.values()),
        "by_state": by_state,
        "skipped": counts_of(_SKIPPED, counts),
        "samples": sorted(counts_of(_SAMPLE, counts).values()),
    }


def counts_of(prefix: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): number for name, number in counts.items() if name.startswith(prefix)}
