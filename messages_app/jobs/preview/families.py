"""
The effect of families on a job: archive and restore jobs move a family completely or not at all.

A sampled message represents its share of its family: if two of five members match, each represents two and a
half messages.

Source: docs/reference/archive.md, "Families move as a unit".
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.shared.job_states import SkipReason
from messages_app.shared.message_states import FINAL_STATES

statements = Statements("messages_app.jobs.preview")


# The most steps from a message to the head of its family, and from there to the last member.
_MAX_STEPS = 30
_MAX_CHILDREN, _MAX_MEMBERS = 10_000, 40_000


class TooLarge(Exception):
    """The families have more members than a preview may look up."""


@dataclass(frozen=True, kw_only=True)
class FamilyShare:
    """
    The effect of a message's family on the job.

    Args:
        represents: how many messages of the set it represents, including itself.
        reason: why the job skips it; None: it does not.
    """

    represents: float = 1.0
    reason: str | None = None


def live_family_shares(
    ids: Collection[int], *, cutoff: datetime, chosen_of: Callable[[list[int]], Collection[int]]
) -> Mapping[int, FamilyShare]:
    """
    Return the share of each message for an archive job. Messages without a family are left out.

    Args:
        chosen_of: returns the ids that match the job's filter.

    Raises:
        TooLarge: the families have too many members to look up.
    """
    heads, circles = _heads_of_members("live", ids)
    values = {"ids": list(heads), "final_states": sorted(FINAL_STATES), "cutoff": cutoff}
    members = {
        msg_id: (is_final, is_ripe)
        for msg_id, is_final, is_ripe in statements.fetch_rows("live_families", values)
    }
    ripe = {msg_id for msg_id, (_, is_ripe) in members.items() if is_ripe}
    reasons = {heads[msg_id]: str(SkipReason.FAMILY_TOO_YOUNG) for msg_id in members.keys() - ripe}
    moving = {msg_id for msg_id, (is_final, _) in members.items() if not is_final}
    reasons |= {heads[msg_id]: str(SkipReason.FAMILY_NOT_FINAL) for msg_id in moving}
    shares = _shares_by_message(ids, heads, going=ripe, chosen=chosen_of(list(ripe)), reasons=reasons)
    # A cycle has no head, so a message in a cycle represents only itself.
    circling = (msg_id for msg_id in ids if heads[msg_id] in circles)
    return {**shares, **dict.fromkeys(circling, FamilyShare(reason=str(SkipReason.PARENT_CYCLE)))}


def archived_family_shares(
    ids: Collection[int],
    *,
    conflicts_of: Callable[[list[int]], Mapping[int, str]],
    chosen_of: Callable[[list[int]], Collection[int]],
) -> Mapping[int, FamilyShare]:
    """
    Return the share of each message for a restore job.

    Args:
        conflicts_of: returns the reasons why some of the ids cannot be restored.

    Raises:
        TooLarge: the families have too many members to look up.
    """
    heads, _ = _heads_of_members("archived", ids)
    going = {row[0] for row in statements.fetch_rows("archived_families", {"ids": list(heads)})}
    conflicts = conflicts_of(list(going))
    reasons = {heads[msg_id]: str(SkipReason.FAMILY_STAYS) for msg_id in conflicts}
    shares = _shares_by_message(ids, heads, going=going, chosen=chosen_of(list(going)), reasons=reasons)
    own = {
        msg_id: FamilyShare(represents=shares[msg_id].represents, reason=conflicts[msg_id])
        for msg_id in ids
        if msg_id in conflicts
    }
    return {**shares, **own}


def _shares_by_message(
    ids: Iterable[int],
    heads: Mapping[int, int],
    *,
    going: Collection[int],
    chosen: Collection[int],
    reasons: Mapping[int, str],
) -> dict[int, FamilyShare]:
    members = Counter(heads[msg_id] for msg_id in going)
    chosen_members = Counter(heads[msg_id] for msg_id in chosen)
    return {
        msg_id: FamilyShare(
            represents=members[heads[msg_id]] / max(1, chosen_members[heads[msg_id]]),
            reason=reasons.get(heads[msg_id]),
        )
        for msg_id in ids
    }


def _heads_of_members(place: str, ids: Collection[int]) -> tuple[dict[int, int], set[int]]:
    """Return the head of each member of the messages' families, and the heads of families with a cycle."""
    parents = _parents_of_messages(place, ids)
    heads = {head: head for head in {_head_of(msg_id, parents) for msg_id in ids}}
    circles = heads.keys() & parents.keys()
    below = set(heads)
    for _ in range(_MAX_STEPS):
        values = {"ids": sorted(below), "most": _MAX_CHILDREN}
        children = {
            child: parent
            for child, parent in statements.fetch_rows(f"{place}_children", values)
            if child not in heads
        }
        heads |= {child: heads[parent] for child, parent in children.items()}
        if len(heads) > _MAX_MEMBERS:
            raise TooLarge
        below = set(children)
        if not below:
            return heads, circles
    raise TooLarge


def _parents_of_messages(place: str, ids: Collection[int]) -> dict[int, int]:
    parents: dict[int, int] = {}
    above = set(ids)
    for _ in range(_MAX_STEPS):
        links: dict[int, int] = dict(statements.fetch_rows(f"{place}_parents", {"ids": sorted(above)}))
        parents |= links
        above = set(links.values()) - parents.keys()
        if not above:
            return parents
    raise TooLarge


def _head_of(msg_id: int, parents: Mapping[int, int]) -> int:
    """Return the topmost ancestor, even if it is deleted, or the smallest id of a cycle of parents."""
    path: list[int] = []
    while msg_id in parents and msg_id not in path:
        path.append(msg_id)
        msg_id = parents[msg_id]
    return min(path[path.index(msg_id) :]) if msg_id in path else msg_id
