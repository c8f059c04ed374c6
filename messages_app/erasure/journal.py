"""
The journal: a file outside of the database, with a line for each step and no value of a subject.

A restored backup has the rows again, and `replay.py` finds them by this file. A line is on the disk before
its step commits, so it may name rows that a crash has kept, but never omits an erased row.
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
    """The file does not exist or is not a list of erased rows. The message names the line."""


@dataclass(frozen=True)
class Line:
    """The digest of the subject, and the keys of its rows by table."""

    subject: str
    rows: Mapping[str, Sequence]


def append_line(key: Key, rows: Mapping[str, Sequence]) -> None:
    """Add a line. Raises OSError: it cannot be written, and nothing may be erased."""
    path = Path(settings.ERASED_LIST)
    path.parent.mkdir(parents=True, exist_ok=True)
    at = database_clock().isoformat(timespec="seconds")
    text = json.dumps({"at": at, "subject": key.digest, "rows": rows}, sort_keys=True)
    # A file object raises an error if a line is only partly written; os.write would only return the count.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(f"{text}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def lines_of(path: Path) -> Iterator[Line]:
    """
    Yield the lines of a journal. A last line that a crash cut off is skipped, because its step was rolled
    back.

    Raises:
        BadList: it cannot be read, or a line is invalid.
    """
    try:
        content = path.read_text(encoding="utf-8", errors="strict")
    except OSError as error:
        raise BadList(f"The list {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadList(f"{path} is not a list of erased rows.") from None
    whole, _, _ = content.rpartition("\n")
    for number, text in enumerate(whole.split("\n") if whole else [], start=1):
        yield _parse_line(path, number, text)


def _parse_line(path: Path, number: int, text: str) -> Line:
    try:
        record = json.loads(text)
        line = Line(record["subject"], record["rows"])
        is_ours = isinstance(line.subject, str) and all(isinstance(one, list) for one in line.rows.values())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise BadList(f"Line {number} of {path} is not a valid erasure record.")
    return line
