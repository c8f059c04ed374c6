"""
The children of a message, level by level and page by page, as its page shows them.

Failed children are first, then unfinished ones. Branches with a failure are open already. Children are read
by keyset, and counted from an index up to a limit, so that 100 000 children take no longer than a few.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from messages_app.core.parameters import MIN_ID, following_id, read_id
from messages_app.core.problems import bad_field, quote_value
from messages_app.core.statements import Statements
from messages_app.messages.detail.tree import Relative
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.detail")


PAGE = 50


COUNTED = 10_000


# The limits for the children of a child are smaller, because a page has up to 50 of them.
COUNTED_BELOW = 1000


PAGE_BELOW = 10


# How many levels below the message are open already, and how many branches in each level.
OPEN_LEVELS = 3


OPEN_BRANCHES = 5


_FAILED = sorted({MessageState.FAILED, MessageState.PARTLY_FAILED})


_PARTS = 6


@dataclass(frozen=True, kw_only=True)
class RollUp:
    """
    The number of children by state.

    Args:
        states: (state, number), most frequent first.
        count: of all children, up to a limit.
        is_more: whether there are more children than were counted.
    """

    states: list[tuple[str, int]]
    count: int
    is_more: bool

    @property
    def has_failed(self) -> bool:
        return any(state in _FAILED for state, _ in self.states)


NO_CHILDREN = RollUp(states=[], count=0, is_more=False)


@dataclass(kw_only=True)
class Branch:
    """
    A member of the family with the members below it.

    Args:
        below: the first of its children; None if they were not read.
        cursor: for the next children; empty without more children.
    """

    relative: Relative
    roll_up: RollUp = NO_CHILDREN
    below: list["Branch"] | None = None
    cursor: str = ""


@dataclass(kw_only=True)
class _Place:
    """The start of a page of children: from this id on in this part. sql/children.sql explains the parts."""

    part: int = 0
    msg_id: int = MIN_ID

    def values(self) -> dict[str, int]:
        firsts = {f"first_{part}": MIN_ID for part in range(_PARTS)}
        return {"part": self.part, **firsts, f"first_{self.part}": self.msg_id}


def children_page(parent: int, *, cursor: str | None = None) -> Branch | None:
    """
    Return one page of a message's children with the open branches below them; None without children.

    Raises:
        Problem: 400, the cursor is not valid.
    """
    pages = _read_children([parent], _read_cursor(cursor), PAGE)
    branches, following = pages.get(parent, ([], ""))
    if not branches:
        return None
    _fill_branches(branches, levels=OPEN_LEVELS - 1)
    return Branch(relative=branches[0].relative, below=branches, cursor=following)


def roll_up(msg_id: int) -> RollUp:
    """Count the children of a message, up to COUNTED."""
    return _count_children([msg_id], COUNTED).get(msg_id, NO_CHILDREN)


def _fill_branches(branches: Sequence[Branch], *, levels: int) -> None:
    """Count the children of these branches, and open the branches with a failure."""
    counts = _count_children([branch.relative.msg_id for branch in branches], COUNTED_BELOW)
    for branch in branches:
        branch.roll_up = counts.get(branch.relative.msg_id, NO_CHILDREN)
    failed = [branch for branch in branches if branch.roll_up.has_failed][:OPEN_BRANCHES]
    if not failed or not levels:
        return
    pages = _read_children([branch.relative.msg_id for branch in failed], _Place(), PAGE_BELOW)
    opened: list[Branch] = []
    for branch in failed:
        branch.below, branch.cursor = pages.get(branch.relative.msg_id, ([], ""))
        opened += branch.below
    _fill_branches(opened, levels=levels - 1)


def _read_children(parents: Sequence[int], place: _Place, most: int) -> dict[int, tuple[list[Branch], str]]:
    """Return the next children of each parent, and the cursor after them."""
    values = {
        "parents": list(parents),
        "most": most + 1,
        "failed": _FAILED,
        "failed_or_ok": [*_FAILED, MessageState.OK],
        "ok": MessageState.OK,
        **place.values(),
    }
    children_of: dict[int, list[tuple[int, Relative]]] = defaultdict(list)
    for parent, part, relative in statements.fetch_records("children", values, _to_child):
        children_of[parent].append((part, relative))
    return {parent: _cut_page(children, most) for parent, children in children_of.items()}


def _to_child(*, parent: int, part: int, **columns: Any) -> tuple[int, int, Relative]:
    return parent, part, Relative(**columns)


def _cut_page(children: Sequence[tuple[int, Relative]], most: int) -> tuple[list[Branch], str]:
    part, last = children[:most][-1]
    cursor = f"{part}-{last.msg_id}" if len(children) > most else ""
    return [Branch(relative=relative) for _, relative in children[:most]], cursor


def _read_cursor(cursor: str | None) -> _Place:
    if cursor is None:
        return _Place()
    part, _, msg_id = cursor.partition("-")
    last = read_id(msg_id)
    if last is not None and part in {str(number) for number in range(_PARTS)}:
        first = following_id(last)
        return _Place(part=int(part) + 1) if first is None else _Place(part=int(part), msg_id=first)
    raise bad_field("cursor", "invalid_value", f"cursor {quote_value(cursor)} is not valid for this list.")


def _count_children(parents: Iterable[int], most: int) -> dict[int, RollUp]:
    parents = list(parents)
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    if parents:
        values = {"parents": parents, "most": [most + 1] * len(parents)}
        for msg_id, state, count in statements.fetch_rows("rollups", values):
            counts[msg_id][state] = count
    return {parent: _sum_up(states, most) for parent, states in counts.items()}


def _sum_up(states: dict[str, int], most: int) -> RollUp:
    ordered = sorted(states.items(), key=lambda item: (-item[1], item[0]))
    count = sum(states.values())
    return RollUp(states=ordered, count=min(count, most), is_more=count > most)
