"""One run: what it found, erased and left. Each step is a transaction with its audit entry and its line."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import IntegrityError, OperationalError, connection, transaction

from messages_app.audit import services as audit
from messages_app.erasure import journal
from messages_app.erasure.keys import Key

# Who holds a row longer keeps it for now.
_LONGEST_WAIT = "2s"
_LONGEST_STATEMENT = "2min"
_TRIES = 3
# Several steps may change one of these; it counts once.
_SHARED = frozenset({"failure_group", "export"})


class Changed(Exception):
    """Rows are no longer as they were when they were checked; the step is undone."""


@dataclass
class Taken:
    """Keys of the rows that a step took, by place. For journals, no key may hold what names the subject."""

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
    One run over all places.

    Args:
        dry_run: every step is undone at its end, so that its figures are those of a run.

    Attributes:
        rows: how many rows went, or would, by place.
        left: why a thing stays, by its place and name.
        parents: messages above the ones that went, which stay.
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
        """Note what stays, and why; its name is told without the key."""
        self.left[place, str(self.key.without(str(name)))] = why

    @contextmanager
    def step(self) -> Iterator[Taken]:
        """
        Give what notes the rows taken in one transaction.

        Raises:
            Changed: someone else holds or changed a row; nothing was done.
        """
        taken = Taken()
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
        """Do what makes a step, again where rows changed meanwhile; return whether it was done in the end."""
        for _ in range(_TRIES):
            try:
                act()
            except Changed:
                continue
            return True
        return False

    def _count(self, taken: Taken) -> None:
        for place, keys in taken.rows.items():
            count = len(keys)
            if place in _SHARED:
                new = {key for key in keys if (place, key) not in self._met}
                self._met |= {(place, key) for key in new}
                count = len(new)
            self.rows += Counter({place: count})

    def _limit(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_LONGEST_WAIT}'")
            cursor.execute(f"SET LOCAL statement_timeout = '{_LONGEST_STATEMENT}'")

    def _note(self, taken: Taken) -> None:
        if self.dry_run:
            transaction.set_rollback(True)
        elif taken.rows:
            self.record(taken.counts)
            # Before the commit: what is erased is in the list whatever happens then.
            journal.append(self.key, taken.rows)

    def record(self, counts: Counter[str]) -> None:
        """Write the step's audit entry, in its transaction."""
        details = {"subject": self.key.digest, "rows": dict(sorted(counts.items()))}
        audit.record(actor=self.actor, action="erase_subject", reason=self.reason, details=details)
