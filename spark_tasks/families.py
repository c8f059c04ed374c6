"""Decides, from rows as they are under lock, which families of a chunk stay. Pure Python."""

from collections.abc import Collection, Mapping

from messages_app.jobs.states import SkipReason


def judge_families(
    *,
    roots: Mapping[int, int],
    locked: Mapping[int, tuple[str, bool]],
    still_live: Collection[int],
    relatives: Collection[tuple[int, int, str]],
    final_states: Collection[str],
) -> dict[int, str]:
    """
    Return the reason of every message that stays; who is not in the answer may move.

    A family moves whole or not at all (DESIGN rule 8), but a member that the hub has deleted is no longer
    one and holds nobody up.

    Args:
        roots: the head of the family, by message of the chunk.
        locked: state and whether it is old enough, by message that could be locked.
        still_live: of those that could not be locked, the ones that are still there.
        relatives: (message of the chunk, its live parent or child, state of that), inside the chunk or not.
        final_states: the states in which a message is done with.
    """
    reasons: dict[int, str] = {}
    holds_up: dict[int, str] = {}
    for msg_id, root in roots.items():
        reason = _own_reason(msg_id, locked, still_live, final_states)
        if reason is None:
            continue
        reasons[msg_id] = reason
        if reason != SkipReason.VANISHED:
            holds_up.setdefault(root, _reason_for_kin(reason, locked.get(msg_id), final_states))
    for msg_id, relative, state in relatives:
        if relative not in roots:
            young_or_open = (
                SkipReason.FAMILY_TOO_YOUNG if state in final_states else SkipReason.FAMILY_NOT_FINAL
            )
            holds_up.setdefault(roots[msg_id], young_or_open)
    for msg_id, root in roots.items():
        if msg_id not in reasons and root in holds_up:
            reasons[msg_id] = holds_up[root]
    return reasons


def _own_reason(
    msg_id: int,
    locked: Mapping[int, tuple[str, bool]],
    still_live: Collection[int],
    final_states: Collection[str],
) -> str | None:
    if msg_id not in locked:
        return SkipReason.LOCKED if msg_id in still_live else SkipReason.VANISHED
    state, is_old = locked[msg_id]
    return None if state in final_states and is_old else SkipReason.MOVED_ON


def _reason_for_kin(reason: str, seen: tuple[str, bool] | None, final_states: Collection[str]) -> str:
    """Return what a message's family is told when that message stays."""
    if reason == SkipReason.LOCKED or seen is None:
        return SkipReason.LOCKED
    return SkipReason.FAMILY_TOO_YOUNG if seen[0] in final_states else SkipReason.FAMILY_NOT_FINAL
