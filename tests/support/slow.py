"""
`make test-slow`: the slow tests and further forms of others, in parts that one run each can finish.

`PART=faults` runs one part; without it, all of them run one after the other. `ARGS="tests/faults -k driver"`
runs the slow tests that it names. The nightly workflow runs each part on a machine of its own.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.support import stock
from tests.support.files import ROOT

SLOW = "slow"
ALL = ""
# Executors as processes of their own, two of one core, as on a cluster.
_CLUSTER = "local-cluster[2,1,1024]"


@dataclass(frozen=True, kw_only=True)
class Part:
    """
    Tests that one run finishes.

    Args:
        paths: files and folders below the repository.
        marker: SLOW for their slow tests, ALL for every test, None for those of `make test`.
    """

    name: str
    paths: Sequence[str]
    marker: str | None = SLOW
    environment: Mapping[str, str] = field(default_factory=dict)


# The slow tests by folder. Those of all other folders are the part `rest`.
_BY_FOLDER = (
    Part(name="faults", paths=("tests/faults",)),
    Part(name="attached", paths=("tests/attached", "tests/messages_app/attach")),
    Part(name="jobs", paths=("tests/messages_app/jobs", "tests/spark_tasks")),
    Part(name="messages", paths=("tests/messages_app/messages",)),
    Part(name="pages", paths=("tests/pages", "tests/messages_app/access", "tests/messages_app/management")),
)


def slow_parts() -> list[Part]:
    """Return all parts in the order of a run. Each slow test is in a part by folder, or in `rest`."""
    taken = tuple(f"{path}/" for part in _BY_FOLDER for path in part.paths)
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    return [
        *_BY_FOLDER,
        Part(name="rest", paths=[path for path in files if not path.startswith(taken)]),
        Part(
            name="cluster",
            paths=("tests/spark_tasks", "tests/messages_app/jobs", "tests/faults"),
            marker=None,
            environment={"TESTS_SPARK_MASTER": _CLUSTER},
        ),
        Part(name="stock", paths=stock.FILES, marker=ALL, environment={"TESTS_POSTGRES": "stock"}),
    ]


def main(name: str, arguments: Sequence[str]) -> int:
    """Run a part, or all parts; return 1 if a test failed, and 2 if no part has the name."""
    if arguments and not name:
        return _run(Part(name="tests", paths=()), arguments)
    parts = [part for part in slow_parts() if name in ("", part.name)]
    if not parts:
        known = ", ".join(part.name for part in slow_parts())
        print(f"No part is called {name!r}. The parts are {known}.", file=sys.stderr)  # noqa: T201
        return 2
    lines, has_failed = [], False
    for part in parts:
        began = time.monotonic()
        code = _run(part, arguments)
        has_failed |= bool(code)
        lines.append(
            f"{part.name}: {'failed' if code else 'passed'}, {(time.monotonic() - began) / 60:.0f} min"
        )
    print("\n".join(lines))  # noqa: T201
    return int(has_failed)


def _run(part: Part, arguments: Sequence[str]) -> int:
    marker = [] if part.marker is None else ["-m", part.marker]
    command = [sys.executable, "-m", "pytest", *marker, *part.paths, *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | part.environment).returncode


if __name__ == "__main__":
    sys.exit(main(os.environ.get("PART", ""), sys.argv[1:]))
