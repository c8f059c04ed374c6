"""
`make bench-quick`: the ratios of docs/contributing/benchmarks.md with few rows and one round, in less than
five minutes.

A ratio is how many times as fast as its peer the product is. Both run on the same machine, one after the
other, so the speed of the machine cancels out, and noise remains: docs/contributing/benchmarks.md, "Quick
ratios".
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks import archive, cp_queue, document_history, failure_groups, message_store, restart
from benchmarks.databases import empty_template

# Parts with forked workers come first: a fork loses the threads of an open session of Spark.
_PARTS: tuple[Callable[[Path], Mapping[str, float]], ...] = (
    partial(cp_queue.measure, sizes=(1_000,), workers=(1, 8), rounds=1, parts=("waiting", "batches")),
    partial(document_history.measure, sizes=(10_000,), rounds=1),
    partial(message_store.measure, sizes=(), rounds=1, parts=("rate",)),
    partial(archive.measure, families=15_000, rounds=3, part="single", full=False),
    partial(restart.measure, messages=50_000, rounds=3),
    partial(failure_groups.measure, messages=100_000, rounds=3),
)
# Medians of runs without other work on two machines, one half as fast (docs/contributing/benchmarks.md,
# "Quick ratios").
_LAST: Mapping[str, float] = {
    "CP queue, 1 workers, the barest queue": 0.51,
    "CP queue, 1 workers, procrastinate": 2.05,
    "CP queue, 8 workers, the barest queue": 0.41,
    "CP queue, 8 workers, procrastinate": 2.17,
    "CP queue in batches, 1 workers, procrastinate": 12.3,
    "CP queue in batches, 8 workers, procrastinate": 9.2,
    "check and complete, bare inserts": 0.40,
    "check-many, single checks": 10.2,
    "message store, bare inserts": 0.58,
    "archive, the hub's technique": 1.73,
    "archive, that technique by ids": 1.25,
    "restart, one bare UPDATE": 0.99,
    "failure groups, a plain loop": 0.67,
}
# A ratio below this part of its last figure fails.
_MIN_SHARE = 0.7


def measure(home: Path) -> bool:
    """Print every ratio and its last figure, and return whether none is much worse."""
    ratios: dict[str, float] = {}
    for part in _PARTS:
        empty_template(home)
        ratios |= part(home)
    worse = worse_ones(ratios, _LAST)
    print(f"\n{'work, and its peer':52} {'times as fast':>13} {'last':>6}")
    for name, ratio in ratios.items():
        print(f"{name:52} {ratio:>13.2f} {_LAST[name]:>6.2f}{'  much worse' if name in worse else ''}")
    return not worse


def worse_ones(ratios: Mapping[str, float], last: Mapping[str, float]) -> list[str]:
    """
    Return the names of ratios that are much worse than the last ones.

    Raises:
        KeyError: a ratio has no last figure.
    """
    return [name for name, ratio in ratios.items() if ratio < _MIN_SHARE * last[name]]
