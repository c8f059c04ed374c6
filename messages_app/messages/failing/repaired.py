"""What became of the messages of failure groups: whether any is left to repair."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from messages_app.messages.failing.sending import sender
from messages_app.messages.states import MessageState

# What is FAILED still, and objects, are those of so many of a group's newest messages.
LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True)
class GroupOutcome:
    """
    What the newest LOOKED_AT messages of a group are now; all of them where there are fewer.

    Args:
        failed, ok, cancelled: in that state.
        in_progress: in any other state, the hub has yet to end them.
        gone: archived, or removed by the hub.
    """

    failed: int = 0
    ok: int = 0
    cancelled: int = 0
    in_progress: int = 0
    gone: int = 0

    @property
    def total(self) -> int:
        return self.failed + self.ok + self.cancelled + self.in_progress + self.gone

    @property
    def is_repaired(self) -> bool:
        """Whether none of the group's messages is FAILED or in progress; no where there may be older ones."""
        return 0 < self.total < LOOKED_AT and not self.failed and not self.in_progress


def outcomes_of_groups(group_ids: Collection[int]) -> Mapping[int, GroupOutcome]:
    """Return what became of the newest messages of each group, by its id."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    values = {"groups": list(group_ids), "fence": LOOKED_AT}
    for group_id, state, messages in sender.rows_of("states_of_groups", values):
        counts[group_id][_NAMES.get(state, "in_progress")] += messages
    return {group_id: GroupOutcome(**counts[group_id]) for group_id in group_ids}


_NAMES = {
    MessageState.FAILED: "failed",
    MessageState.OK: "ok",
    MessageState.CANCEL: "cancelled",
    None: "gone",
}
