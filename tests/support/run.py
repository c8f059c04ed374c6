"""
`make test`: the suite by processes side by side that share a queue of files; with arguments, one process.

Browsers, starting servers and workers mostly wait: more processes than cores cost little more time.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.support.files import BROWSER, HUBS, REST, SPARK, Queue, all_files
from tests.support.taking import LANES, QUEUE

PYTEST = (sys.executable, "-m", "pytest")
TAKING = (*PYTEST, "-q", "-p", "tests.support.taking", "-o", "console_output_style=classic", "tests")
# The lanes of each process, the most specific first.
PROCESSES = ((BROWSER, REST), (SPARK, REST), (HUBS, REST), (REST,))
# The longest that a run may take. A test that hangs shows its stacks before (faulthandler_timeout).
MAX_SECONDS = 80 * 60


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.run([*PYTEST, *arguments]).returncode
    with tempfile.TemporaryDirectory() as folder:
        queue = Path(folder) / "queue.json"
        Queue(queue).fill(all_files())
        until = time.monotonic() + MAX_SECONDS
        started = [_start(queue, lanes) for lanes in PROCESSES]
        codes = [_end(*each, until=until) for each in started]
        return 1 if any(codes) else 0


def _start(queue: Path, lanes: tuple[str, ...]) -> tuple[subprocess.Popen, threading.Thread]:
    environment = os.environ | {QUEUE: str(queue), LANES: ",".join(lanes)}
    process = subprocess.Popen(
        TAKING, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    reader = threading.Thread(target=_pass_on, args=[process])
    reader.start()
    return process, reader


def _pass_on(process: subprocess.Popen) -> None:
    """Print what a process prints, line by line, so that lines of several do not mingle."""
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()


def _end(process: subprocess.Popen, reader: threading.Thread, *, until: float) -> int:
    """Wait for a process; one that is not done in time is ended, with its servers."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=max(until - time.monotonic(), 0))
    if process.poll() is None:
        print(f"The tests were ended after {MAX_SECONDS // 60} minutes.")  # noqa: T201
        process.terminate()
        process.wait()
        reader.join()
        return 1
    reader.join()
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
