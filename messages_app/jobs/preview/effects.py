"""
The external systems that a restart calls again, with the number of calls, from a sample of its messages.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping

from messages_app.core.statements import Statements
from messages_app.jobs.preview.deadline import Deadline
from messages_app.shared.external_calls import MAX_A_MESSAGE, CallRow, add_up, group_by_system

statements = Statements("messages_app.shared")


MAX_SYSTEMS = 100
_MAX_MESSAGES = 1_000


def systems_called(
    weights: Mapping[int, float], *, total: bool, deadline: Deadline
) -> tuple[dict[str, dict[str, int]], int] | None:
    """
    Return (calls by system and `SystemCount`, number of messages looked up), or None if time ran
    out.

    Args:
        weights: how many messages each sampled message represents, by msg_id.
    """
    chosen = _some_of(weights)
    if not chosen:
        return {}, 0
    systems = deadline.run_within(lambda: _count_by_system(chosen, total=total), share=0.6)
    return None if systems is None else (systems, len(chosen))


def _some_of(weights: Mapping[int, float]) -> dict[int, float]:
    """Return a random sample of at most _MAX_MESSAGES, with weights that add up to the same sum."""
    if len(weights) <= _MAX_MESSAGES:
        return dict(weights)
    ids = random.Random(0).sample(sorted(weights), _MAX_MESSAGES)  # noqa: S311 (the same ones when asked again)
    factor = sum(weights.values()) / sum(weights[msg_id] for msg_id in ids)
    return {msg_id: weights[msg_id] * factor for msg_id in ids}


def _count_by_system(weights: Mapping[int, float], *, total: bool) -> dict[str, dict[str, int]]:
    """Add up the calls of messages with equal weights, then the groups."""
    groups: dict[float, list[int]] = {}
    for msg_id, weight in weights.items():
        groups.setdefault(weight, []).append(msg_id)
    sums: dict[tuple[str, str], float] = defaultdict(float)
    values = {"ids": list(weights), "most": MAX_A_MESSAGE}
    calls = [CallRow(*row) for row in statements.fetch_rows("calls_of_messages", values)]
    targets = statements.fetch_rows("targets_of_messages", values)
    for weight, ids in groups.items():
        mine = set(ids)
        counts = add_up(
            (call for call in calls if call.owner_id in mine),
            ((uri, 1) for uri, msg_id in targets if msg_id in mine),
            total=total,
        )
        for key, number in counts.items():
            sums[key] += number * weight
    rounded = Counter({key: round(number) for key, number in sums.items()})
    return group_by_system(rounded, most=MAX_SYSTEMS)
