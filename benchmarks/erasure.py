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
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.dashboard import count_history
from benchmarks.databases import close_connections, fill_tables, filled_once, fresh_copy, messages_once
from benchmarks.families import fill_families
from benchmarks.filling import BYTES_PER_MESSAGE, IDS_PER_MESSAGE
from benchmarks.lists import make_environment
from messages_app.shared.sql_files import SqlFiles

SIZES = (10_000_000,)
_FORMS = {"dry run": "--dry-run", "erasure": "--yes"}

statements = SqlFiles("benchmarks")

_BYTES_OF_FAMILY = 8_000  # with its other rows and indexes
# A subject has this part of all messages. A fifth of its messages are archived.
_PARTS_OF_SUBJECTS = (1_000_000, 10_000, 1_000)


def measure_erasure(home: Path, *, sizes: tuple[int, ...], families: int, rounds: int) -> None:
    """Print the seconds of each command from its start to its end, and how many rows it erased."""
    for size in sizes:
        template = _fill_among(home, messages=size, families=families)
        seconds: dict[tuple[str, str], list[float]] = {}
        rows: dict[tuple[str, str], int] = {}
        for _ in range(rounds):
            url = fresh_copy(home, template)
            close_connections()
            for subject in ("no-such-subject", *_subjects_of(size)):
                for form, option in _FORMS.items():
                    began = time.monotonic()
                    rows[subject, form] = _erase_subject(home, url, subject, option)
                    seconds.setdefault((subject, form), []).append(time.monotonic() - began)
        for (subject, form), times in seconds.items():
            print(
                f"{size:>10} {subject:16} {form:8} {rows[subject, form]:>7} rows"
                f" {statistics.median(times):>7.2f} s ({min(times):.2f} to {max(times):.2f})"
            )


def _erase_subject(home: Path, url: str, subject: str, option: str) -> int:
    command = [sys.executable, "manage.py", "erase_subject", subject, option, "--json"]
    as_owner = make_environment(home, url, "hubconsole.settings")
    done = subprocess.run(command, env=as_owner, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{subject} was not erased: {done.stdout}")
    return sum(json.loads(done.stdout)["subjects"][0]["rows"].values())


def _fill_among(home: Path, *, messages: int, families: int) -> str:
    """
    Fill a database once, and return its name.

    Args:
        messages: of the last sixty days; a fifth as many are archived.
        families: messages older than two months, and a fifth as many younger ones, as of `fill_families`.
    """
    name = f"among_{messages}_{families}"
    make = partial(_fill_copy, messages=messages, families=families)
    # Every run needs a copy, too.
    needed = 2 * (messages * BYTES_PER_MESSAGE + families * _BYTES_OF_FAMILY)
    filled_once(home, name, make, needed=needed, template=messages_once(home, messages))
    return name


def _subjects_of(messages: int) -> dict[str, int]:
    """Return the subjects of a database and how many messages they have, without their children."""
    counts = [messages // part for part in _PARTS_OF_SUBJECTS]
    return {f"subject-{count}": count for count in counts if count}


def _fill_copy(url: str, *, messages: int, families: int) -> None:
    fill_tables(url, fill=partial(_fill_rows, messages=messages, families=families))
    count_history()
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def _fill_rows(hub: psycopg.Cursor, *, messages: int, families: int) -> None:
    # Archived messages have as many ids again.
    after = (2 * messages + 10) * IDS_PER_MESSAGE
    fill_families(hub, families=families, after=after)
    values = {"messages": messages, "families": families, "after": after, "ids": IDS_PER_MESSAGE}
    for nth, (subject, count) in enumerate(_subjects_of(messages).items()):
        archived = count // 5
        for name, number in (("subject", count - archived), ("subject_archived", archived)):
            if number:
                own = {"subject": subject, "nth": nth, "wanted": number}
                hub.execute(statements.read_text(name), values | own)
