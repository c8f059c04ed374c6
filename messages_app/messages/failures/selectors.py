"""Facts about groups of failures: their outcomes, newest messages, objects, systems and counts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.messages.failures.models import (
    PRESSING_STATES,
    FailureGroup,
    FailureMember,
    FailureMinute,
)
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.failures")

# Of a group, up to this many of the newest messages are checked.
CHECKED_MESSAGES = 1_000


@dataclass(frozen=True, kw_only=True)
class GroupOutcome:
    """
    The numbers of messages by their current state, of the newest CHECKED_MESSAGES messages of a group.

    Args:
        failed, ok, cancelled: in that state.
        in_progress: in any other state, so the hub is not finished with them.
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
        """Whether no message is FAILED or in progress; False if the group may have older messages."""
        return 0 < self.total < CHECKED_MESSAGES and not self.failed and not self.in_progress


def outcomes_of_groups(group_ids: Collection[int]) -> Mapping[int, GroupOutcome]:
    """Return the outcome of the newest messages of each group, by its id."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    values = {"groups": list(group_ids), "fence": CHECKED_MESSAGES}
    for group_id, state, messages in statements.fetch_rows("states_of_groups", values):
        counts[group_id][_OUTCOMES.get(state, "in_progress")] += messages
    return {group_id: GroupOutcome(**counts[group_id]) for group_id in group_ids}


# The field of GroupOutcome by state; messages that are not in the live table have no state.
_OUTCOMES = {
    MessageState.FAILED: "failed",
    MessageState.OK: "ok",
    MessageState.CANCEL: "cancelled",
    None: "gone",
}


# Maximum lengths of lists.
MAX_GROUPS = 200
MAX_MESSAGES = 5
MAX_OBJECTS = 20
MAX_ROWS = 10


@dataclass(frozen=True, kw_only=True)
class AffectedObject:
    """
    An object of the newest messages of a group.

    Args:
        entity_type: may be empty.
        messages: the number of these messages that have the object.
        failed: the number of them that are FAILED.
        msg_id: the newest of them.
    """

    entity_type: str
    object_id: str
    messages: int
    failed: int
    msg_id: int


def pressing_since(since: datetime) -> list[FailureGroup]:
    """Return the groups that became new or regressed since a time, newest first."""
    groups = FailureGroup.objects.filter(state__in=PRESSING_STATES, state_at__gte=since)
    return list(groups.order_by("-state_at")[:MAX_GROUPS])


def failed_since(since: datetime, *, most: int) -> list[FailureGroup]:
    """Return the groups that failed since a time, newest failure first."""
    groups = FailureGroup.objects.filter(last_seen__gte=since)
    return list(groups.order_by("-last_seen", "-group_id")[:most])


def systems_of_groups(group_ids: Collection[int]) -> Mapping[int, list[str]]:
    """Return the external systems that the failures of each group name, by the id of the group."""
    systems: dict[int, list[str]] = defaultdict(list)
    for group_id, system in statements.fetch_rows("systems_of_groups", {"groups": list(group_ids)}):
        systems[group_id].append(system)
    return systems


def newest_messages(group_id: int) -> list[int]:
    """Return the newest messages whose last failure is in a group."""
    members = FailureMember.objects.filter(group_id=group_id).order_by("-msg_id")
    return list(members.values_list("msg_id", flat=True)[:MAX_MESSAGES])


def newest_live_messages(group_id: int) -> list[Message]:
    """Return the newest messages whose last failure is in a group and that are not archived."""
    ids = FailureMember.objects.filter(group_id=group_id).order_by("-msg_id").values_list("msg_id", flat=True)
    columns = ("state", "object_id", "source_system", "receive_timestamp")
    messages = Message.objects.only(*columns).in_bulk(list(ids[:MAX_ROWS]))
    return [messages[msg_id] for msg_id in sorted(messages, reverse=True)]


def affected_objects(group_id: int) -> list[AffectedObject]:
    """Return the objects of the newest CHECKED_MESSAGES messages of a group, most FAILED messages first."""
    values = {"group_id": group_id, "fence": CHECKED_MESSAGES, "most": MAX_OBJECTS}
    return statements.fetch_records("affected", values, AffectedObject)


def failures_by_minute(group_ids: Collection[int], since: datetime) -> list[tuple[int, datetime, int]]:
    """Return (group, minute, failures) since a time, oldest first."""
    counts = FailureMinute.objects.filter(group_id__in=group_ids, minute__gte=since).order_by("minute")
    return list(counts.values_list("group_id", "minute", "failures"))
