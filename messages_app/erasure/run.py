"""
One run: the rows that it found, erased and left. Each step is a transaction with its audit entry and its
journal line.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import IntegrityError, OperationalError, connection, transaction

from messages_app.audit import services as audit
from messages_app.erasure.journal import append_line
from messages_app.erasure.keys import Key

# A row that is locked longer stays for now.
_MAX_WAIT = "2s"
_MAX_STATEMENT = "2min"
_TRIES = 3
# Several steps may change one of these rows, which counts once.
_SHARED = frozenset({"failure_group", "export", "person_settings"})


class Changed(Exception):
    """Rows have changed since they were checked. The step is rolled back."""


@dataclass
class ErasedKeys:
    """
    Keys of the rows that a step erased, by table. No key may contain the subject's key, because the journal
    has them.

    Attributes:
        noted: keys of rows that the step stored, which only the journal has.
    """

    rows: dict[str, list] = field(default_factory=lambda: defaultdict(list))
    noted: dict[str, list] = field(default_factory=lambda: defaultdict(list))

    def add(self, place: str, keys: Sequence) -> None:
        if keys:
            self.rows[place] += keys

    def note_stored(self, place: str, keys: Sequence) -> None:
        if keys:
            self.noted[place] += keys

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
        without_keys: messages whose business keys were erased.
    """

    key: Key
    actor: audit.Actor
    reason: str
    dry_run: bool
    rows: Counter[str] = field(default_factory=Counter)
    left: dict[tuple[str, str], str] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)
    without_keys: set[int] = field(default_factory=set)
    _met: set[tuple[str, object]] = field(default_factory=set)

    def leave(self, place: str, name: object, why: str) -> None:
        """Record a row that stays, with the reason. Its name is reported without the key."""
        self.left[place, str(self.key.remove_from(str(name)))] = why

    @contextmanager
    def step(self) -> Iterator[ErasedKeys]:
        """
        Yield the record of the rows that are erased in one transaction.

        Raises:
            Changed: a row was locked or changed by someone else. Nothing was done.
        """
        erased = ErasedKeys()
        try:
            with transaction.atomic():
                self._limit_waits()
                yield erased
                self._note_rows(erased)
        except (OperationalError, IntegrityError) as error:
            if connection.connection is None or connection.connection.closed:
                raise
            raise Changed from error
        self._count(erased)

    def attempt_step(self, act: Callable[[], None]) -> bool:
        """Run a step, and repeat it if rows have changed in between. Return whether it was done."""
        for _ in range(_TRIES):
            try:
                act()
            except Changed:
                continue
            return True
        return False

    def _count(self, erased: ErasedKeys) -> None:
        for place, keys in erased.rows.items():
            count = len(keys)
            if place in _SHARED:
                new = {key for key in keys if (place, key) not in self._met}
                self._met |= {(place, key) for key in new}
                count = len(new)
            if place == "business_key":
                self.without_keys |= set(keys)
            self.rows += Counter({place: count})

    def _limit_waits(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
            cursor.execute(f"SET LOCAL statement_timeout = '{_MAX_STATEMENT}'")

    def _note_rows(self, erased: ErasedKeys) -> None:
        if self.dry_run:
            transaction.set_rollback(True)
            return
        if erased.rows:
            self.record(erased.counts)
        if erased.rows or erased.noted:
            # Written before the commit, so that the journal has all erased rows in any case.
            append_line(self.key, erased.rows | erased.noted)

    def record(self, counts: Counter[str]) -> None:
        """Write the step's audit entry, in its transaction."""
        details = {"subject": self.key.digest, "rows": dict(sorted(counts.items()))}
        audit.record_entry(actor=self.actor, action="erase_subject", reason=self.reason, details=details)
