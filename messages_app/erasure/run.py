"""
One run: the rows that it found, erased and left. Each step is a transaction with its audit entry and its
journal line.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction

from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.erasure.keys import Key

# A row that is locked longer stays for now.
_MAX_WAIT = "2s"
_MAX_STATEMENT = "2min"
_TRIES = 3
# Several steps may change one of these rows, which counts once.
_SHARED = frozenset({"failure_group", "export"})


class Changed(Exception):
    """Rows have changed since they were checked. The step is rolled back."""


@dataclass
class ErasedKeys:
    """Keys of the rows that a step erased, by table. No key may contain the subject's key, because the
    journal has them."""

    rows: dict[str, list] = field(default_factory=lambda: defaultdict(list))

    def add(self, place: str, keys: Sequence) -> None:
        if keys:
            self.rows[place] += keys

    @property
    def counts(self) -> Counter[str]:
        return Counter({place: len(keys) for place, keys in self.rows.items()})


@dataclass(kw_only=True)
class Erasure:
    """
    One run over all tables.

    Args:
        dry_run: every step is rolled back at its end, so that its counts are those of a run.

    Attributes:
        rows: how many rows were erased, or would be, by table.
        left: why a row stays, by its table and name.
        parents: parents of erased messages, which stay.
    """

    key: Key
    actor: audit.Actor
    reason: str
    dry_run: bool
    rows: Counter[str] = field(default_factory=Counter)
    left: dict[tuple[str, str], str] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)
    _met: set[tuple[str, object]] = field(default_factory=set)

    def leave(self, place: str, name: object, why: str) -> None:
        """Record a row that stays, with the reason. Its name is reported without the key."""
        self.left[place, str(self.key.without(str(name)))] = why

    @contextmanager
    def step(self) -> Iterator[ErasedKeys]:
        """
        Yield the record of the rows that are erased in one transaction.

        Raises:
            Changed: a row was locked or changed by someone else. Nothing was done.
        """
        taken = ErasedKeys()
        try:
            with transaction.atomic():
                self._limit()
                yield taken
                self._note(taken)
        except (OperationalError, IntegrityError) as error:
            if connection.connection is None or connection.connection.closed:
                raise
            raise Changed from error
        self._count(taken)

    def attempt(self, act: Callable[[], None]) -> bool:
        """Run a step, and repeat it if rows have changed in between. Return whether it was done."""
        for _ in range(_TRIES):
            try:
                act()
            except Changed:
                continue
            return True
        return False

    def _count(self, taken: ErasedKeys) -> None:
        for place, keys in taken.rows.items():
            count = len(keys)
            if place in _SHARED:
                new = {key for key in keys if (place, key) not in self._met}
                self._met |= {(place, key) for key in new}
                count = len(new)
            self.rows += Counter({place: count})

    def _limit(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
            cursor.execute(f"SET LOCAL statement_timeout = '{_MAX_STATEMENT}'")

    def _note(self, taken: ErasedKeys) -> None:
        if self.dry_run:
            transaction.set_rollback(True)
        elif taken.rows:
            self.record(taken.counts)
            # Written before the commit, so that the journal has all erased rows in any case.
            append_line(self.key, taken.rows)

    def record(self, counts: Counter[str]) -> None:
        """Write the step's audit entry, in its transaction."""
        details = {"subject": self.key.digest, "rows": dict(sorted(counts.items()))}
        audit.record_entry(actor=self.actor, action="erase_subject", reason=self.reason, details=details)


# The journal: a file outside of the database, with a line for each step and no value of a subject. A restored
# backup has the rows again, and `replay.py` finds them by this file. A line is on the disk before its step
# commits, so it may name rows that a crash has kept, but never omits an erased row.


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
