"""
Durations in steps, as counts keep them: step s is from 2 ** (s / 4) seconds to less than 2 ** ((s + 1) / 4).

A percentile is accurate to about a tenth.
"""

import math
from collections.abc import Sequence
from itertools import accumulate

# The steps until the time has doubled.
STEPS = 4

# (step, number), the fastest first.
Counts = Sequence[tuple[int, int]]


def find_percentile(counts: Counts, share: float) -> float | None:
    """Return the seconds within which this share (0 to 1) ended; None without counts."""
    total = sum(number for _, number in counts)
    if not total:
        return None
    sums = accumulate(number for _, number in counts)
    step = next(step for (step, _), so_far in zip(counts, sums, strict=True) if so_far >= share * total)
    return float(2 ** ((step + 0.5) / STEPS))


def last_step_within(seconds: float) -> int:
    """Return the last step whose durations count as within a time: the limit that is nearest to it."""
    return round(STEPS * math.log2(seconds)) - 1
