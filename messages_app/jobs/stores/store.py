"""The interface between jobs and a store whose rows are their items."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from django.db.models.expressions import Combinable
from django.http import QueryDict
from django.urls import reverse

from messages_app.access.actors import Caller
from messages_app.core.problems import FieldError
from messages_app.core.query_language.vocabulary import Vocabulary
from messages_app.shared.job_records import JobFilter


class ListFilter(Protocol):
    """The filter of a store's list."""

    @property
    def is_empty(self) -> bool:
        """Whether the filter matches every row."""

    def as_pairs(self) -> list[tuple[str, str]]:
        """Return (name, value) of each filter, with the value as in the list's address."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One row as pages show it: its `name` for users, and the address of its page."""

    item_id: int
    name: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Present:
    """
    The current status of a row.

    Args:
        state: the state in the words of its store.
        about: a short description.
        error: the code of its last error if it has failed, otherwise empty.
        is_archived: the row is in the archive.
    """

    state: str
    about: str
    error: str = ""
    is_archived: bool = False


F = TypeVar("F", bound=ListFilter)


class Store(Protocol[F]):
    """
    One store whose rows are items of jobs.

    The ids of a job's items are bigints. A store with another kind of key numbers its rows in its own table
    and uses the key as the item's name.

    Attributes:
        name: the name of the store in `KindSpec.store`.
        preview_module: the module whose `PREVIEW` previews a job (`preview.quick.preview_job`).
        status_statement: the statement in `jobs/sql/` that finds the current status of a chunk's rows.
        vocabulary: the filters of its list with their labels.
        list_route, item_route: the routes of its list, and of a row's page by its name.
        filter_help: a description of the filter of commands, with an example.
        groups: (key in the report, title, filter) of each count that a preview shows.
    """

    name: str
    preview_module: str
    status_statement: str
    vocabulary: Vocabulary
    list_route: str
    item_route: str
    filter_help: str
    groups: tuple[tuple[str, str, str], ...]

    def parse(self, params: QueryDict, *, user: Caller | None) -> F:
        """
        Parse exact parameters, as the API takes them.

        Raises:
            Problem: 400 with an entry for each parameter at fault.
        """

    def read(self, params: QueryDict, *, user: Caller | None, now: datetime) -> F:
        """Parse the address of the list's page at the time `now`. Raises like `parse`."""

    def find_faults(self, kind: str, parsed: F) -> Iterator[FieldError]:
        """Yield the errors of a filter for a kind of job, by the filter names of the list."""

    def job_filter(self, kind: str, parsed: F) -> JobFilter:
        """Return the filter as a job of this kind stores it."""

    def last_id(self) -> int:
        """Return the current last id. A set that is frozen now has no later ids."""

    def names_of(self, item_ids: Collection[int]) -> Mapping[int, str]:
        """Return the names of these rows by id, if possible also of deleted rows."""

    def read_present(self, item_ids: Collection[int]) -> Mapping[int, Present]:
        """Return the current status of these rows by id, without deleted rows."""

    def state_expressions(self) -> tuple[Combinable, Combinable]:
        """
        Return the current state of the row of a ledger's item, live and archived, in the words of the hub:
        OK, FAILED, CANCEL, or any other for rows that are in progress; NULL: not there.
        """

    def has_more_than(self, most: int, parsed: F, *, timeout_ms: int) -> bool:
        """Return whether more than `most` rows match; True if counting takes too long."""

    def find(self, name: str) -> int | None:
        """Return the id of the row with this name, or None."""


def list_address(store: Store[F], query: str) -> str:
    """Return the address of the store's list with this query string."""
    return f"{reverse(store.list_route)}?{query}"


def items_of(store: Store[F], item_ids: Collection[int]) -> dict[int, Item]:
    """Return rows by id as pages show them."""
    return {
        item_id: Item(item_id=item_id, name=name, address=reverse(store.item_route, args=[name]))
        for item_id, name in store.names_of(item_ids).items()
    }
