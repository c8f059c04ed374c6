"""`make bench`: what the budgets promise, measured beside the next best way. Figures: docs/benchmarks.md."""

import argparse
import sys

from benchmarks import archive, lists
from benchmarks.servers import running

NAMES = ("lists", "archive")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(NAMES)} (all)")
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=lists.SIZES,
        help="lists: messages, with commas (10000,1000000,10000000)",
    )
    parser.add_argument(
        "--messages", type=int, default=100_000, help="archive: size of the demo (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="archive: runs of each (%(default)s)")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(NAMES):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    names = arguments.names or NAMES
    with running(spark="archive" in names) as home:
        if "lists" in names:
            lists.measure(home, sizes=arguments.sizes)
        if "archive" in names:
            archive.measure(home, messages=arguments.messages, rounds=arguments.rounds)
    return 0


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
