"""Measure the product next to the best alternatives. Figures: docs/contributing/benchmarks.md."""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    analysis,
    api_and_pages,
    archive,
    attached,
    business_keys,
    cp_queue,
    dashboard,
    document_history,
    erasure,
    export,
    failure_groups,
    hub_load,
    incidents,
    lists,
    message_store,
    parquet,
    quick,
    resend,
    restart,
    small_jobs,
)
from benchmarks.databases import empty_template
from benchmarks.servers import run_servers


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """
    Args:
        measure: prints its figures, given a home and these options.
        options: names of the options of the command that it takes.
        sizes, parts: the values of these two if they are not given.
    """

    measure: Callable[..., object]
    options: tuple[str, ...] = ()
    sizes: tuple[int, ...] | None = None
    parts: tuple[str, ...] | None = None
    needs_spark: bool = True


def _measure_archive(home: Path, *, families: int, rounds: int, parts: tuple[str, ...]) -> None:
    for part in parts:
        empty_template(home)
        archive.measure_archive(home, families=families, rounds=rounds, part=part)


BENCHMARKS: Mapping[str, Benchmark] = {
    "lists": Benchmark(measure=lists.measure_lists, sizes=lists.SIZES, needs_spark=False),
    "requests": Benchmark(
        measure=api_and_pages.measure_requests,
        options=("rounds",),
        sizes=api_and_pages.SIZES,
        parts=api_and_pages.PARTS,
        needs_spark=False,
    ),
    "archive": Benchmark(
        measure=_measure_archive, options=("families", "rounds"), parts=tuple(archive.PARTS)
    ),
    "parquet": Benchmark(measure=parquet.measure_parquet, options=("families", "rounds")),
    "restart": Benchmark(measure=restart.measure_restart, options=("messages", "rounds")),
    "resend": Benchmark(measure=resend.measure_resend, options=("messages", "rounds"), parts=resend.PARTS),
    "analysis": Benchmark(measure=analysis.measure_analysis, options=("messages", "rounds")),
    "erasure": Benchmark(
        measure=erasure.measure_erasure, options=("families", "rounds"), sizes=erasure.SIZES
    ),
    "export": Benchmark(measure=export.measure_exports, options=("messages", "rounds"), parts=export.FORMATS),
    "small-jobs": Benchmark(
        measure=small_jobs.measure_jobs,
        options=("jobs",),
        sizes=small_jobs.SIZES,
        parts=tuple(small_jobs.PARTS),
    ),
    "document-history": Benchmark(
        measure=document_history.measure_history,
        options=("rounds",),
        sizes=document_history.SIZES,
        needs_spark=False,
    ),
    "message-store": Benchmark(
        measure=message_store.measure_store,
        options=("rounds",),
        sizes=message_store.SIZES,
        parts=message_store.PARTS,
        needs_spark=False,
    ),
    "cp-queue": Benchmark(
        measure=cp_queue.measure_pickup,
        options=("workers", "rounds"),
        sizes=cp_queue.SIZES,
        parts=cp_queue.PARTS,
        needs_spark=False,
    ),
    "failure-groups": Benchmark(measure=failure_groups.measure_grouping, options=("messages", "rounds")),
    "dashboard": Benchmark(measure=dashboard.measure_dashboard, sizes=dashboard.SIZES),
    "incidents": Benchmark(
        measure=incidents.measure_storm, options=("messages", "rounds"), needs_spark=False
    ),
    "business-keys": Benchmark(
        measure=business_keys.measure_keys, options=("messages", "rounds"), parts=business_keys.PARTS
    ),
    "hub-load": Benchmark(measure=hub_load.measure_load, options=("rounds",), needs_spark=False),
    "attached": Benchmark(
        measure=attached.measure_load, options=("hubs", "families", "rounds"), parts=attached.PARTS
    ),
}


def run_benchmark() -> int:
    arguments = _parse_arguments()
    if arguments.names == ["quick"]:
        with run_servers(spark=True, postgres=arguments.postgres, folder=arguments.home) as home:
            return 1 if quick.compare_ratios(home) else 0
    for name in arguments.names or BENCHMARKS:
        one = BENCHMARKS[name]
        with run_servers(spark=one.needs_spark, postgres=arguments.postgres, folder=arguments.home) as home:
            one.measure(home, **_options_of(one, arguments))
    return 0


def _options_of(one: Benchmark, arguments: argparse.Namespace) -> dict[str, object]:
    options = {name: getattr(arguments, name) for name in one.options}
    if one.sizes:
        options["sizes"] = arguments.sizes or one.sizes
    if one.parts:
        options["parts"] = arguments.parts or one.parts
    return options


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"benchmarks to run: {', '.join(BENCHMARKS)} (default: all); or only quick, the ratios of most",
    )
    add("--sizes", type=_parse_numbers, metavar="N,N", help=f"rows or messages: {_list_defaults('sizes')}")
    add("--parts", type=_parse_words, metavar="PART,PART", help=f"{_list_defaults('parts')} (all)")
    add(
        "--postgres",
        choices=("embedded", "stock"),
        default="embedded",
        help="the embedded server, or Debian's PostgreSQL with default settings (%(default)s)",
    )
    add("--home", metavar="FOLDER", help="keep the servers' data in this folder")
    add(
        "--hubs",
        type=_parse_words,
        default=tuple(attached.HUBS),
        metavar="HUB,HUB",
        help=_add_users("hubs", f"{', '.join(attached.HUBS)} (both)"),
    )
    add("--families", type=int, default=150_000, help=_add_users("families", "families (%(default)s)"))
    add("--messages", type=int, default=1_000_000, help=_add_users("messages", "messages (%(default)s)"))
    add("--jobs", type=int, default=20, help=_add_users("jobs", "jobs of each kind (%(default)s)"))
    add(
        "--workers",
        type=_parse_numbers,
        default=cp_queue.WORKERS,
        metavar="N,N",
        help=_add_users("workers", "processes"),
    )
    add("--rounds", type=int, default=3, help=_add_users("rounds", "rounds (%(default)s)"))
    arguments = parser.parse_args()
    if arguments.names != ["quick"] and (unknown := set(arguments.names) - set(BENCHMARKS)):
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    return arguments


def _list_defaults(option: str) -> str:
    defaults = {name: getattr(one, option) for name, one in BENCHMARKS.items()}
    return "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in defaults.items() if values)


def _add_users(option: str, text: str) -> str:
    return f"{', '.join(name for name, one in BENCHMARKS.items() if option in one.options)}: {text}"


def _parse_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _parse_words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


if __name__ == "__main__":
    sys.exit(run_benchmark())
