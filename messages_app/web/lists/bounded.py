"""Both ends of what may be many rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import QuerySet


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """
    Rows in their order.

    Args:
        first: all of them; or the first ones, where some between `first` and `last` were not read.
        last: the last ones; empty where all were read.
    """

    first: list
    last: list = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        return bool(self.last)

    def __iter__(self) -> Iterator:
        yield from self.first
        yield from self.last

    def __len__(self) -> int:
        return len(self.first) + len(self.last)


def ends(rows: QuerySet, key: str, *, each_end: int) -> Bounded:
    """Return all rows, or the first and the last `each_end` of them where there are more than both."""
    first = list(rows.order_by(key)[: 2 * each_end + 1])
    if len(first) <= 2 * each_end:
        return Bounded(first=first)
    return Bounded(first=first[:each_end], last=list(rows.order_by(f"-{key}")[:each_end])[::-1])
