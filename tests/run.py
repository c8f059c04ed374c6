"""
`make test`: the suite as two runs side by side, each with servers of its own; with arguments, one run.

Browsers and starting servers mostly wait: beside them the other tests cost little time.
"""

import subprocess
import sys
import tempfile

# What waits most. The other run has all the rest.
WAITING = ("tests/pages", "tests/hubconsole")
PYTEST = (sys.executable, "-m", "pytest")


def main(arguments: list[str]) -> int:
    if arguments:
        return subprocess.run([*PYTEST, *arguments]).returncode
    # What the second run prints is shown when the first has ended, so that they do not mingle.
    with tempfile.TemporaryFile() as printed:
        waiting = subprocess.Popen([*PYTEST, *WAITING], stdout=printed, stderr=subprocess.STDOUT)
        try:
            others = subprocess.run([*PYTEST, *(f"--ignore={folder}" for folder in WAITING)]).returncode
            return waiting.wait() or others
        finally:
            waiting.wait()
            printed.seek(0)
            sys.stdout.write(printed.read().decode(errors="replace"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
