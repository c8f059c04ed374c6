"""
The contract between the engine and actions: the job, the items, and the result.

Uses psycopg only, no Django.

Source: docs/contributing/spec/design.md, R-5, R-6.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import psycopg


class Fenced(Exception):
    """The job has another attempt, or was stopped or paused: this attempt must not commit anything more."""


@dataclass(frozen=True, kw_only=True)
class JobKey:
    """
    The job of an executor, its attempt, and the address of the ledger.

    Args:
        rivals: the kinds of jobs that change rows of the same store. Only one of their jobs may hold a row at
            a time.
    """

    dsn: str
    job_id: int
    attempt: int
    rivals: tuple[str, ...]


class TaskTimes(NamedTuple):
    """
    When a Spark task began and ended, in nanoseconds since 1970 by the clock of its executor, and how many
    messages it decided.
    """

    began: int
    ended: int
    decided: int


class Item(NamedTuple):
    """A message of the frozen set, with the head of its family and its state when the set was frozen."""

    msg_id: int
    root_msg_id: int
    old_state: str


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """
    A locked chunk with its open items, by message id.

    Args:
        orphan_ids: ids of rows that belong to no message; None for a chunk of messages.
        planned: rows of the plan.
        decided: the number of these that already have an outcome.
    """

    chunk_no: int
    content: str
    planned: int
    decided: int
    orphan_ids: Sequence[int] | None
    items: Sequence[Item]


@dataclass(frozen=True, kw_only=True)
class Decided:
    """
    The result of an action for some items. Items that are not refused are done.

    Args:
        refusals: outcome (skipped:... or failed:...) by message.
        moved: number of rows moved or written, by table or file.
        versions: the row versions (xmin) of changed messages.
        details: for the audit log; lists with the same name are joined.
    """

    refusals: Mapping[int, str] = field(default_factory=dict)
    moved: Counter[str] = field(default_factory=Counter)
    versions: frozenset[str] = frozenset()
    details: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def __add__(self, other: "Decided") -> "Decided":
        names = {*self.details, *other.details}
        return Decided(
            refusals={**self.refusals, **other.refusals},
            moved=self.moved + other.moved,
            versions=self.versions | other.versions,
            details={name: [*self.details.get(name, ()), *other.details.get(name, ())] for name in names},
        )


class Action(Protocol):
    """The action of a job on messages. It is pickled for the executors."""

    @property
    def new_state(self) -> str | None:
        """The state of messages that are done; None if the job does not change states."""

    @property
    def may_be_repeated(self) -> bool:
        """
        Whether chunks may be processed again after a crash of the server has undone them with their ledger.
        """

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """
        Process the items in the open transaction. After one of the errors below it is rolled back and
        repeated in smaller parts.

        Raises:
            psycopg.DataError, psycopg.IntegrityError, psycopg.errors.QueryCanceled,
            psycopg.errors.RaiseException, RowsLost: caused by one of the rows.
            psycopg.errors.LockNotAvailable: another session holds one of the rows.
        """


@runtime_checkable
class OrphanAction(Action, Protocol):
    """An action whose plans also have chunks of rows that belong to no message."""

    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        """Process rows that belong to no message; return them by outcome, and the moved rows by table."""
