"""
`make bench-quick`: the ratios of docs/contributing/benchmarks.md with few rows and one round, in less than
five minutes.

A ratio is how many times as fast as its peer the product is. Both run on the same machine, one after the
other, so the speed of the machine cancels out. How Python was built does not, so each kind has last figures
of its own; and noise remains: docs/contributing/benchmarks.md, "Quick ratios".
"""

import platform
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks import archive, cp_queue, document_history, failure_groups, message_store, restart
from benchmarks.databases import empty_template

# Parts with forked workers come first: a fork loses the threads of an open session of Spark.
_PARTS: tuple[Callable[[Path], Mapping[str, float]], ...] = (
    partial(cp_queue.measure_pickup, sizes=(1_000,), workers=(1, 8), rounds=1, parts=("waiting", "batches")),
    partial(document_history.measure_history, sizes=(10_000,), rounds=1),
    partial(message_store.measure_store, sizes=(), rounds=1, parts=("rate",)),
    partial(archive.measure_archive, families=15_000, rounds=3, part="single", full=False),
    partial(restart.measure_restart, messages=50_000, rounds=3),
    partial(failure_groups.measure_grouping, messages=100_000, rounds=3),
)
FIGURES = Path(__file__).with_name("quick.toml")
# A ratio below this part of its last figure fails.
_MIN_SHARE = 0.7


def compare_ratios(home: Path) -> list[str]:
    """Print every ratio and its last figure; return the names of much worse ratios."""
    kind = interpreter_kind(sysconfig.get_config_var("CONFIG_ARGS") or "", sysconfig.get_scheme_names())
    ratios: dict[str, float] = {}
    for part in _PARTS:
        empty_template(home)
        ratios |= part(home)
    print(f"\nPython {platform.python_version()}, {kind}: {sys.executable}")
    return print_ratios(ratios, kind, tomllib.loads(FIGURES.read_text()))


def print_ratios(
    ratios: Mapping[str, float], kind: str, figures: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """
    Print the ratios and the last figures with the same kind of Python; return the much worse ones.

    A ratio without a last figure is printed as a line for quick.toml, and is not judged. If no ratio has one,
    a sentence says that nothing was compared.
    """
    last = figures.get(kind, {})
    worse = [name for name, ratio in ratios.items() if name in last and ratio < _MIN_SHARE * last[name]]
    print(f"{'work, and its peer':52} {'times as fast':>13} {'last':>6}")
    for name, ratio in ratios.items():
        before = f"{last[name]:.2f}" if name in last else "none"
        print(f"{name:52} {ratio:>13.2f} {before:>6}{'  much worse' if name in worse else ''}")
    if missing := [name for name in ratios if name not in last]:
        if len(missing) == len(ratios):
            print(f"\nNothing was compared: there are no last figures for a Python that is {kind}.")
        print(f"\n{FIGURES.name} has no last figure of these for a Python of this kind. To keep them:")
        print(f'["{kind}"]', *(f'"{name}" = {ratios[name]:.2f}' for name in missing), sep="\n")
    return worse


def interpreter_kind(configure_arguments: str, scheme_names: Sequence[str]) -> str:
    """
    Return how Python was built: `optimized`, with profile-guided optimization, or `not optimized`.

    Debian and Ubuntu build it so without the argument; their Python has a scheme of paths of its own.
    """
    is_optimized = "--enable-optimizations" in configure_arguments or "deb_system" in scheme_names
    return "optimized" if is_optimized else "not optimized"
