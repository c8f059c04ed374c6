"""
Measure the command `erase_subject` for subjects with up to a thousandth of all messages, live and archived.

A message has some kB of text, and each tenth three children, which go with it. Every round erases the
subjects of a fresh copy. Budget: 10 s, without Parquet files.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.among import fill_among, subjects_of
from benchmarks.databases import disconnect, fresh_copy
from benchmarks.lists import environment

SIZES = (10_000_000,)
_FORMS = {"dry run": "--dry-run", "erasure": "--yes"}


def measure(home: Path, *, sizes: tuple[int, ...], families: int, rounds: int) -> None:
    """Print the seconds of each command from its start to its end, and how many rows it erased."""
    for size in sizes:
        template = fill_among(home, messages=size, families=families)
        seconds: dict[tuple[str, str], list[float]] = {}
        rows: dict[tuple[str, str], int] = {}
        for _ in range(rounds):
            url = fresh_copy(home, template)
            disconnect()
            for subject in ("no-such-subject", *subjects_of(size)):
                for form, option in _FORMS.items():
                    began = time.monotonic()
                    rows[subject, form] = _erase(home, url, subject, option)
                    seconds.setdefault((subject, form), []).append(time.monotonic() - began)
        for (subject, form), found in seconds.items():
            print(
                f"{size:>10} {subject:16} {form:8} {rows[subject, form]:>7} rows"
                f" {statistics.median(found):>7.2f} s ({min(found):.2f} to {max(found):.2f})"
            )


def _erase(home: Path, url: str, subject: str, option: str) -> int:
    command = [sys.executable, "manage.py", "erase_subject", subject, option, "--json"]
    as_owner = environment(home, url, "hubconsole.settings")
    done = subprocess.run(command, env=as_owner, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{subject} was not erased: {done.stdout}")
    return sum(json.loads(done.stdout)["subjects"][0]["rows"].values())
