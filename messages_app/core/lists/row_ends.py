"""Both ends of a possibly long sequence of rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from django.db.models import QuerySet

from messages_app.core.pagination.keyset import M

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Bounded(Generic[T]):
    """
    Rows in their order, possibly with a gap.

    Args:
        first: all rows, or the first ones if some between `first` and `last` were not read.
        last: the last rows; empty if all were read.
    """

    first: list[T]
    last: list[T] = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        return bool(self.last)

    def __iter__(self) -> Iterator[T]:
        yield from self.first
        yield from self.last

    def __len__(self) -> int:
        return len(self.first) + len(self.last)


def fetch_ends(rows: QuerySet[M], key: str, *, each_end: int) -> Bounded[M]:
    """Return all rows, or only the first and the last `each_end` of them if there are more."""
    first = list(rows.order_by(key)[: 2 * each_end + 1])
    if len(first) <= 2 * each_end:
        return Bounded(first=first)
    return Bounded(first=first[:each_end], last=list(rows.order_by(f"-{key}")[:each_end])[::-1])
