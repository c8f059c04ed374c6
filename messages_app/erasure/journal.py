"""
The list of what was erased, a file outside of the database: a line for each step, and no value of a subject.

A backup that is restored has the rows again; by this list they are found (again.py). A line is on the disk
before its step commits: it may name rows that a crash has kept, never leave out one that is gone.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from messages_app.core.clock import database_clock
from messages_app.erasure.keys import Key


class BadList(Exception):
    """The file is not there, or is not a list of erased rows; the message names the line."""


@dataclass(frozen=True)
class Line:
    """Whose rows they were, by the subject's digest, and their keys by place."""

    subject: str
    rows: Mapping[str, Sequence]


def append(key: Key, rows: Mapping[str, Sequence]) -> None:
    """Add a line. Raises OSError: it could not be written, and nothing may be erased."""
    path = Path(settings.ERASED_LIST)
    path.parent.mkdir(parents=True, exist_ok=True)
    at = database_clock().isoformat(timespec="seconds")
    text = json.dumps({"at": at, "subject": key.digest, "rows": rows}, sort_keys=True)
    # By a file object: a line that is written in part raises, where a bare write would only return it.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(f"{text}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def lines_of(path: Path) -> Iterator[Line]:
    """
    Yield the lines of a list; a last one that a crash cut off is passed over, as its step was undone.

    Raises:
        BadList: it cannot be read, or another line is none of ours.
    """
    try:
        content = path.read_text(encoding="utf-8", errors="strict")
    except OSError as error:
        raise BadList(f"The list {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadList(f"{path} is not a list of erased rows.") from None
    whole, _, _ = content.rpartition("\n")
    for number, text in enumerate(whole.split("\n") if whole else [], start=1):
        yield _line(path, number, text)


def _line(path: Path, number: int, text: str) -> Line:
    try:
        found = json.loads(text)
        line = Line(found["subject"], found["rows"])
        is_ours = isinstance(line.subject, str) and all(isinstance(one, list) for one in line.rows.values())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise BadList(f"Line {number} of {path} is not a valid erasure record.")
    return line
