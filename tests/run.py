"""
`make test`: the suite as four runs side by side, each with servers of its own; with arguments, one run.

Browsers, starting servers and workers mostly wait: side by side they cost little more time than one.
"""

import contextlib
import subprocess
import sys
import tempfile
from typing import IO

# What has a browser or whole consoles; what has Spark and workers, in halves, one with three stores beside.
# The last run has all the rest. They take about as much processor time as each other.
CONSOLES = ("tests/pages", "tests/hubconsole")
# A Spark server takes as long to start and to warm up as many tests: these go where one runs anyway.
NEED_SPARK = (
    "tests/hubconsole/test_health.py",
    "tests/messages_app/audit/test_parts_at_work.py",
    "tests/pages/test_first_page.py",
    "tests/pages/test_jobs_journey.py",
    "tests/pages/test_message_store.py",
)
JOBS = ("tests/messages_app/jobs", "tests/messages_app/management")
STORES = tuple(f"tests/messages_app/{room}" for room in ("cp_queue", "message_store", "document_history"))
TASKS = ("tests/faults", "tests/spark_tasks", "tests/messages_app/erasing", *STORES)


def _without(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"--ignore={path}" for path in paths)


RUNS = ((*CONSOLES, *_without(NEED_SPARK)), (*JOBS, *NEED_SPARK), TASKS)
REST = ("tests", *_without((*CONSOLES, *JOBS, *NEED_SPARK, *TASKS)))
PYTEST = (sys.executable, "-m", "pytest")


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.run([*PYTEST, *arguments]).returncode
    with contextlib.ExitStack() as stack:
        behind = [_start(each, stack.enter_context(tempfile.TemporaryFile())) for each in RUNS]
        codes = []
        try:
            codes.append(subprocess.run([*PYTEST, *REST]).returncode)
        finally:
            # Printed when the first has ended, so that they do not mingle. An interrupt reaches all of them.
            codes += [_end(run, printed) for run, printed in behind]
        return 1 if any(codes) else 0


def _start(selection: tuple[str, ...], printed: IO[bytes]) -> tuple[subprocess.Popen, IO[bytes]]:
    return subprocess.Popen([*PYTEST, *selection], stdout=printed, stderr=subprocess.STDOUT), printed


def _end(run: subprocess.Popen, printed: IO[bytes]) -> int:
    code = run.wait()
    printed.seek(0)
    sys.stdout.write(printed.read().decode(errors="replace"))
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
