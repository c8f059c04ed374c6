"""Measure the budgets, compared with the next best alternatives. Figures: docs/contributing/benchmarks.md."""

import argparse
import sys
from pathlib import Path

from benchmarks import (
    admin_pages,
    archive,
    attached,
    cluster,
    cp_queue,
    dashboard,
    document_history,
    erasure,
    export,
    failure_groups,
    first_jobs,
    growth,
    hub_load,
    lists,
    memory,
    message_store,
    parquet,
    quick,
    requests,
    restart,
    small_jobs,
)
from benchmarks.databases import empty_template
from benchmarks.servers import running

NAMES = (
    "lists",
    "admin",
    "requests",
    "growth",
    "archive",
    "parquet",
    "restart",
    "erasure",
    "export",
    "small-jobs",
    "first-jobs",
    "memory",
    "document-history",
    "message-store",
    "cp-queue",
    "failure-groups",
    "dashboard",
    "hub-load",
    "attached",
    "cluster",
)
# Benchmarks that run without Spark.
_WITHOUT_SPARK = (
    "lists",
    "admin",
    "requests",
    "first-jobs",
    "document-history",
    "message-store",
    "cp-queue",
    "hub-load",
    "cluster",
)


def main() -> int:
    arguments = _parse()
    if arguments.names == ["quick"]:
        with running(spark=True, postgres=arguments.postgres, kept=arguments.home) as home:
            return 0 if quick.measure(home) else 1
    for name in arguments.names or NAMES:
        with running(
            spark=_needs_spark(name, arguments.parts),
            postgres=arguments.postgres,
            kept=arguments.home,
            is_reachable=name == "cluster",
        ) as home:
            _measure(name, home, arguments)
    return 0


def _needs_spark(name: str, parts: tuple[str, ...] | None) -> bool:
    if name == "attached":
        return parts is None or bool(attached.WITH_SPARK & set(parts))
    return name not in _WITHOUT_SPARK


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"benchmarks to run: {', '.join(NAMES)} (default: all); or only quick, the ratios of most",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        help=(
            "lists, memory, dashboard, requests, growth, erasure, admin: messages, comma-separated"
            " (10000,1000000,10000000, to 5000000, 10000,10000000, 10000, 10000 to 30000000, and 10000000"
            " for both);"
            " document-history: rows (10000,10000000); message-store: messages (10000000);"
            " cp-queue: waiting messages (1000,100000,1000000); small-jobs: messages of a job (50,500,5000)"
        ),
        metavar="N,N",
    )
    parser.add_argument(
        "--postgres",
        choices=("embedded", "stock"),
        default="embedded",
        help="the embedded server, or Debian's PostgreSQL with default settings (%(default)s)",
    )
    parser.add_argument("--home", metavar="FOLDER", help="keep the servers' data in this folder")
    parser.add_argument(
        "--hubs",
        type=lambda text: tuple(text.split(",")),
        default=tuple(attached.HUBS),
        metavar="HUB,HUB",
        help=f"attached: {', '.join(attached.HUBS)} (both)",
    )
    parser.add_argument(
        "--families",
        type=int,
        default=150_000,
        help="archive, parquet, cluster, attached, erasure: families (%(default)s)",
    )
    parser.add_argument(
        "--among",
        type=int,
        default=0,
        metavar="N",
        help="archive: younger messages in the tables (%(default)s)",
    )
    parser.add_argument(
        "--cores", type=float, default=cluster.CORES, help="cluster: cores of each machine (%(default)s)"
    )
    parser.add_argument(
        "--messages",
        type=int,
        default=1_000_000,
        help="restart, export, failure-groups: messages (%(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=20, help="small-jobs: jobs of each kind (%(default)s)")
    parser.add_argument(
        "--workers", type=_sizes, default=cp_queue.WORKERS, metavar="N,N", help="cp-queue: processes"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help=(
            "rounds of archive, parquet, restart, erasure, export, document-history, message-store, cp-queue,"
            " failure-groups, requests, attached and hub-load (%(default)s)"
        ),
    )
    parser.add_argument(
        "--parts",
        type=lambda text: tuple(text.split(",")),
        metavar="PART,PART",
        help=(
            f"cp-queue: {', '.join(cp_queue.PARTS)}; message-store: {', '.join(message_store.PARTS)};"
            f" small-jobs: {', '.join(small_jobs.PARTS)}; requests: {', '.join(requests.PARTS)};"
            f" export: {', '.join(export.FORMATS)}; archive: {', '.join(archive.PARTS)};"
            f" cluster: {', '.join(cluster.PARTS)};"
            f" attached: {', '.join(attached.PARTS)}; admin: {', '.join(admin_pages.PARTS)} (all)"
        ),
    )
    arguments = parser.parse_args()
    if arguments.names != ["quick"] and (unknown := set(arguments.names) - set(NAMES)):
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    return arguments


def _measure(name: str, home: Path, arguments: argparse.Namespace) -> None:
    if name == "lists":
        lists.measure(home, sizes=arguments.sizes or lists.SIZES)
    elif name == "admin":
        admin_pages.measure(
            home,
            sizes=arguments.sizes or admin_pages.SIZES,
            parts=arguments.parts or admin_pages.PARTS,
        )
    elif name == "cluster":
        cluster.measure(
            home,
            families=arguments.families,
            rounds=arguments.rounds,
            cores=arguments.cores,
            parts=arguments.parts or cluster.PARTS,
        )
    elif name == "growth":
        growth.measure(home, sizes=arguments.sizes or growth.SIZES)
    elif name == "requests":
        requests.measure(
            home,
            sizes=arguments.sizes or requests.SIZES,
            rounds=arguments.rounds,
            parts=arguments.parts or requests.PARTS,
        )
    elif name == "archive":
        for part in arguments.parts or archive.PARTS:
            empty_template(home)
            archive.measure(
                home,
                families=arguments.families,
                rounds=arguments.rounds,
                part=part,
                among=arguments.among,
            )
    elif name == "erasure":
        erasure.measure(
            home,
            sizes=arguments.sizes or erasure.SIZES,
            families=arguments.families,
            rounds=arguments.rounds,
        )
    elif name == "parquet":
        parquet.measure(home, families=arguments.families, rounds=arguments.rounds)
    elif name == "restart":
        restart.measure(home, messages=arguments.messages, rounds=arguments.rounds)
    elif name == "export":
        formats = arguments.parts or export.FORMATS
        export.measure(home, messages=arguments.messages, rounds=arguments.rounds, formats=formats)
    elif name == "small-jobs":
        small_jobs.measure(
            home,
            sizes=arguments.sizes or small_jobs.SIZES,
            jobs=arguments.jobs,
            parts=arguments.parts or tuple(small_jobs.PARTS),
        )
    elif name == "first-jobs":
        first_jobs.measure()
    elif name == "document-history":
        sizes = arguments.sizes or document_history.SIZES
        document_history.measure(home, sizes=sizes, rounds=arguments.rounds)
    elif name == "cp-queue":
        sizes = arguments.sizes or cp_queue.SIZES
        cp_queue.measure(
            home,
            sizes=sizes,
            workers=arguments.workers,
            rounds=arguments.rounds,
            parts=arguments.parts or cp_queue.PARTS,
        )
    elif name == "failure-groups":
        failure_groups.measure(home, messages=arguments.messages, rounds=arguments.rounds)
    elif name == "hub-load":
        hub_load.measure(home, messages=hub_load.MESSAGES, rounds=arguments.rounds)
    elif name == "attached":
        attached.measure(
            home,
            sizes=arguments.sizes or attached.SIZES,
            hubs=arguments.hubs,
            parts=arguments.parts or attached.PARTS,
            rounds=arguments.rounds,
            families=arguments.families,
        )
    elif name == "dashboard":
        dashboard.measure(home, sizes=arguments.sizes or dashboard.SIZES)
    elif name == "message-store":
        sizes = arguments.sizes or message_store.SIZES
        parts = arguments.parts or message_store.PARTS
        message_store.measure(home, sizes=sizes, rounds=arguments.rounds, parts=parts)
    else:
        memory.measure(home, sizes=arguments.sizes or memory.SIZES)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
