"""Messages of the demo before they are written, with their history so far."""

from messages_app.demo.failures import Failure
from messages_app.demo.world import Operation, Target
from messages_app.shared.message_states import ExternalCallState, MessageState, ParentBinding


class Draft:
    """
    One message to be written; times are seconds since 1970.

    `history` holds (from_state, to_state, at); `calls` an ExternalCallDraft for each call; `exchanges` the
    requests sent. A class with slots, not a dataclass, because a million of them are made.
    """

    __slots__ = (
        "binding", "calls", "children", "correlation_id", "exchanges", "failed_count", "failure",
        "funnel_values", "history", "is_ordered", "msg_at", "msg_id", "node", "number", "object_id",
        "operation", "parent", "process_id", "processed_at", "queued_at", "received_at",
        "source_system", "started_at", "state", "stored_at",
    )  # fmt: skip

    # Set by the sender of the message.
    correlation_id: str
    number: int
    object_id: str
    process_id: str | None
    source_system: str

    def __init__(
        self, *, operation: Operation, received_at: float, msg_at: float, stored_at: float | None = None
    ) -> None:
        self.operation = operation
        self.received_at = received_at
        self.msg_at = msg_at
        # A child copies its parent's times, but its own history begins when it is stored.
        self.stored_at = self.started_at = self.processed_at = received_at if stored_at is None else stored_at
        self.queued_at: float | None = None
        self.state: MessageState = MessageState.NEW
        self.msg_id = 0
        self.node: int | None = None
        self.parent: Draft | None = None
        self.binding: ParentBinding | None = None
        self.children: list[Draft] = []
        self.failure: Failure | None = None
        self.failed_count = 0
        self.is_ordered = operation.is_ordered
        self.funnel_values: tuple[str, ...] = ()
        self.history: list[tuple[MessageState, MessageState, float]] = []
        self.calls: list[ExternalCallDraft] = []
        self.exchanges: list[ExchangeDraft] = []

    def move(self, to_state: MessageState, at: float) -> None:
        """Change the state as the hub does, which sets the time of last processing with it."""
        self.history.append((self.state, to_state, at))
        self.state = to_state
        self.processed_at = at

    def cancel(self, at: float) -> None:
        """
        Change only the state, as an operator's cancel does.

        Source: docs/contributing/spec/cleverbus.md, "Restart and cancel".
        """
        self.history.append((self.state, MessageState.CANCEL, at))
        self.state = MessageState.CANCEL

    def start(self, at: float, *, node: int) -> None:
        """Let a node of the hub pick up the message."""
        self.queued_at = at - 0.02
        self.node = node
        self.move(MessageState.IN_QUEUE, self.queued_at)
        self.move(MessageState.PROCESSING, at)
        self.started_at = at

    def fail(self, failure: Failure, at: float, *, is_final: bool) -> None:
        """End one attempt with an error."""
        self.failure = failure
        self.failed_count += 1
        self.move(MessageState.FAILED if is_final else MessageState.PARTLY_FAILED, at)


class ExternalCallDraft:
    """One row of external_call: created at the first attempt, updated at each."""

    __slots__ = ("created_at", "failed_count", "state", "target", "updated_at")

    def __init__(self, *, target: Target, at: float) -> None:
        self.target = target
        self.created_at = self.updated_at = at
        self.state = ExternalCallState.PROCESSING
        # Only confirmations ever count. Source: docs/contributing/spec/cleverbus.md, "Table external_call".
        self.failed_count = 0

    def end_in(self, state: ExternalCallState, at: float) -> None:
        self.state = state
        self.updated_at = at


class ExchangeDraft:
    """One request and its response: answered if `answered_at` is set, failed if `failure` is set."""

    __slots__ = ("answered_at", "failure", "sent_at", "target")

    def __init__(self, *, target: Target, sent_at: float) -> None:
        self.target = target
        self.sent_at = sent_at
        self.answered_at: float | None = None
        self.failure: Failure | None = None
