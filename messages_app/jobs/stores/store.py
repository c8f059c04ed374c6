"""What the engine and its pages ask of a store whose rows are items of jobs."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from django.http import QueryDict
from django.urls import reverse

from messages_app.access.actors import Caller
from messages_app.core.problems import FieldError
from messages_app.core.query_language.vocabulary import Vocabulary
from messages_app.shared.job_records import JobFilter


class ListFilter(Protocol):
    """What a list of the store is narrowed to."""

    @property
    def is_empty(self) -> bool:
        """Whether every row passes."""

    def words(self) -> list[tuple[str, str]]:
        """Return (name, value) of each filter, the value as the address has it."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One row as pages show it: its `name`, which people know it by, and the address of its page."""

    item_id: int
    name: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Present:
    """
    What a row is now.

    Args:
        state: as its store calls it.
        about: what the row is, in a few words.
        error: the code of its last error where it has failed, else empty.
        is_archived: it is not live.
    """

    state: str
    about: str
    error: str = ""
    is_archived: bool = False


F = TypeVar("F", bound=ListFilter)


class Store(Protocol[F]):
    """
    One store.

    A job's items have ids that a bigint holds. A store whose key is none numbers its rows in a table of its
    own, and gives the key as an item's name.

    Attributes:
        vocabulary: the filters of its list, and how pages call them.
        list_route, item_route: the names of the routes of its list, and of one row's page, by its name.
        groups: (key in the report, title, filter) of the counts that a preview draws.
    """

    vocabulary: Vocabulary
    list_route: str
    item_route: str
    groups: tuple[tuple[str, str, str], ...]

    def parse(self, params: QueryDict, *, user: Caller | None) -> F:
        """
        Return the filter that exact parameters mean, as the API has them.

        Raises:
            Problem: 400 with an entry for each parameter at fault.
        """

    def read(self, params: QueryDict, *, user: Caller | None, now: datetime) -> F:
        """Return the filter that an address of the list's page means at `now`; raises as `parse`."""

    def faults(self, kind: str, found: F) -> Iterator[FieldError]:
        """Yield what a kind of job cannot do with a filter, the names as the list has them."""

    def kept(self, kind: str, found: F) -> JobFilter:
        """Return the filter as a job of this kind keeps it."""

    def last_id(self) -> int:
        """Return the last id that there is now: a set that is frozen now has no later one."""

    def names(self, item_ids: Collection[int]) -> Mapping[int, str]:
        """Return by what name people know these rows, gone ones too where that can be told."""

    def present(self, item_ids: Collection[int]) -> Mapping[int, Present]:
        """Return what these rows are now, by their ids; those that are gone are left out."""

    def has_more_than(self, most: int, found: F, *, timeout_ms: int) -> bool:
        """Return whether more rows pass; True where that takes too long to tell."""

    def find(self, name: str) -> int | None:
        """Return the id of the row of this name; None where the text is no such name."""


def list_address(store: Store[F], query: str) -> str:
    """Return the address of the store's list with this query string."""
    return f"{reverse(store.list_route)}?{query}"


def items_of(store: Store[F], item_ids: Collection[int]) -> dict[int, Item]:
    """Return rows as pages show them, by their ids."""
    return {
        item_id: Item(item_id=item_id, name=name, address=reverse(store.item_route, args=[name]))
        for item_id, name in store.names(item_ids).items()
    }
