"""
`make test`: the suite as four runs side by side, each with servers of its own; with arguments, one run.

Browsers, starting servers and workers mostly wait: side by side they cost little more time than one.
"""

import contextlib
import subprocess
import sys
import tempfile
from typing import IO

# What has browsers and whole consoles; what has Spark and workers, in halves, one with two stores beside it.
# The last run has all the rest.
CONSOLES = ("tests/pages", "tests/hubconsole")
JOBS = ("tests/messages_app/jobs", "tests/messages_app/management")
STORES = ("tests/messages_app/cp_queue", "tests/messages_app/message_store")
TASKS = ("tests/faults", "tests/spark_tasks", *STORES)
REST = ("tests", *(f"--ignore={folder}" for folder in (*CONSOLES, *JOBS, *TASKS)))
PYTEST = (sys.executable, "-m", "pytest")


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.run([*PYTEST, *arguments]).returncode
    with contextlib.ExitStack() as stack:
        behind = [
            _start(each, stack.enter_context(tempfile.TemporaryFile())) for each in (CONSOLES, JOBS, TASKS)
        ]
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
