"""The entries of a timeline."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from messages_app.shared.message_states import ExternalCallState, MessageState

AT_THE_END = datetime.max.replace(tzinfo=UTC)


_FAILURES = frozenset(
    {
        MessageState.FAILED,
        MessageState.PARTLY_FAILED,
        ExternalCallState.FAILED,
        ExternalCallState.FAILED_END,
        "failed",
        "refused",
    }
)


_REFUSED = "refused"


# Of the actions in the audit log that change a message.
_PARTICIPLES = {
    "Archive": "Archived",
    "Cancel": "Cancelled",
    "Resend": "Resent",
    "Restart": "Restarted",
    "Restore": "Restored",
}


class Kind(StrEnum):
    RECEIVED = "received"
    QUEUED = "queued"
    ATTEMPT = "attempt"
    WAIT = "wait"
    STATE_CHANGE = "state_change"
    EXTERNAL_CALL = "external_call"
    REQUEST = "request"
    RESPONSE = "response"
    OPERATOR_ACTION = "operator_action"


KIND_MEANINGS = {
    Kind.RECEIVED: "The hub stored the message.",
    Kind.QUEUED: "A hub node queued it for the last time.",
    Kind.ATTEMPT: "The hub processed it; `state` is the outcome, empty while it is in progress.",
    Kind.WAIT: "It waited; `state` is the state it waited in.",
    Kind.STATE_CHANGE: "`state` is the new state; `actor` is empty for the hub. For an operator's change, "
    "`note` is the action with its reason, and `id` is the job.",
    Kind.EXTERNAL_CALL: "From creation of the call to its last change; `id` is the call_id.",
    Kind.REQUEST: "Until its first response, if there is one; `id` is the req_id.",
    Kind.RESPONSE: "`id` is the res_id; `at` is null where the hub recorded no time.",
    Kind.OPERATOR_ACTION: "By `actor`, alone or by the job `id`; `state` is done or refused, `note` is the "
    "reason.",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """
    One entry of a timeline.

    Args:
        at: the time, or the start; None if the hub recorded no time.
        until: the end; None for an event without duration, and for an entry that has not ended.
        kind: see KIND_MEANINGS.
        text: a short description.
        state: of the message or call, or `failed`, `done`, `refused`; empty without a state.
        actor: the operator; empty for the hub.
        id: of the row that the entry is about, unless that is the message.
        note: the reason, or other details.
        is_open: whether it has started and not ended.
        placed: the time by which the entry is sorted, if it differs from `at`.
        belongs_to: for a response, the req_id of its request.
        entry_id: the audit entry of an operator's action.
    """

    at: datetime | None
    kind: Kind
    text: str
    until: datetime | None = None
    state: str = ""
    actor: str = ""
    id: int | None = None
    note: str = ""
    is_open: bool = False
    placed: datetime | None = None
    belongs_to: int | None = None
    entry_id: int | None = None

    @property
    def position(self) -> datetime:
        return self.placed or self.at or AT_THE_END

    @property
    def is_failure(self) -> bool:
        return self.kind != Kind.WAIT and self.state in _FAILURES

    @property
    def lasted(self) -> timedelta | None:
        return None if self.until is None or self.at is None else self.until - self.at

    @property
    def sentence(self) -> str:
        """An operator's action as the beginning of a sentence: `Restarted from scratch by ada`."""
        verb, _, rest = self.text.partition(" ")
        if self.state == _REFUSED or verb not in _PARTICIPLES:
            return f"{self.text}{' refused,' * (self.state == _REFUSED)} by {self.actor}"
        return " ".join(filter(None, (_PARTICIPLES[verb], rest, f"by {self.actor}")))

    def with_note(self, note: str) -> "Entry":
        return replace(self, note=note)


def leave_out_short_waits(entries: Iterable[Entry], *, seconds: float) -> list[Entry]:
    """Leave out waits shorter than this number of seconds, which would only clutter the page."""
    return [
        entry
        for entry in entries
        if entry.kind != Kind.WAIT or entry.lasted is None or entry.lasted.total_seconds() >= seconds
    ]
