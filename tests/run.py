"""
`make test`: the suite as three runs side by side, each with servers of its own; with arguments, one run.

Browsers, starting servers and workers mostly wait: side by side they cost little more time than one.
"""

import subprocess
import sys
import tempfile

# What has browsers and whole consoles; what has Spark and workers. The third run has all the rest.
CONSOLES = ("tests/pages", "tests/hubconsole")
JOBS = ("tests/faults", "tests/spark_tasks", "tests/messages_app/jobs", "tests/messages_app/management")
REST = ("tests", *(f"--ignore={folder}" for folder in (*CONSOLES, *JOBS)))
PYTEST = (sys.executable, "-m", "pytest")


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.run([*PYTEST, *arguments]).returncode
    with tempfile.TemporaryFile() as of_consoles, tempfile.TemporaryFile() as of_jobs:
        behind = [(_start(CONSOLES, of_consoles), of_consoles), (_start(JOBS, of_jobs), of_jobs)]
        codes = []
        try:
            codes.append(subprocess.run([*PYTEST, *REST]).returncode)
        finally:
            # Printed when the first has ended, so that they do not mingle. An interrupt reaches all three.
            codes += [_end(run, printed) for run, printed in behind]
        return 1 if any(codes) else 0


def _start(selection: tuple[str, ...], printed) -> subprocess.Popen:
    return subprocess.Popen([*PYTEST, *selection], stdout=printed, stderr=subprocess.STDOUT)


def _end(run: subprocess.Popen, printed) -> int:
    code = run.wait()
    printed.seek(0)
    sys.stdout.write(printed.read().decode(errors="replace"))
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
