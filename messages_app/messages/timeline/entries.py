"""What a timeline is made of: the kinds of entries, and one entry."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from messages_app.messages.states import ExternalCallState, MessageState

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
    Kind.QUEUED: "A node of the hub put it into its queue, the last time.",
    Kind.ATTEMPT: "The hub worked on it; `state` is how that ended, empty while it lasts.",
    Kind.WAIT: "Nothing was done; `state` is what it waited in.",
    Kind.STATE_CHANGE: "`state` is what it became; `actor` is empty for the hub. Of an operator's change, "
    "`note` is what was done and why, and `id` the job that did it.",
    Kind.EXTERNAL_CALL: "From the call's row to its last change; `id` is the call_id.",
    Kind.REQUEST: "Until its first response, if there is one; `id` is the req_id.",
    Kind.RESPONSE: "`id` is the res_id; `at` is null where the hub recorded no time.",
    Kind.OPERATOR_ACTION: "By `actor`; `state` is done or refused, `note` the reason given.",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """
    One entry of a timeline.

    Args:
        at: when, or since when; None where the hub recorded no time.
        until: the end of what lasted; None for a moment, and for what has not ended.
        kind: see KIND_MEANINGS.
        text: what happened, in words.
        state: of the message or call, or `failed`, `done`, `refused`; empty for none.
        actor: the operator; empty for the hub.
        id: of the row that the entry is about, where it is not the message's.
        note: why, or what else is known.
        is_open: it has begun and not ended.
        placed: where the entry stands in the order, when that is not `at`.
        belongs_to: of a response, the req_id of its request.
        entry_id: the audit entry of what an operator did.
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

    def with_note(self, note: str) -> "Entry":
        return replace(self, note=note)
