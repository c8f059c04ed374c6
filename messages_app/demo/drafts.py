"""Messages of the demo before they are written: their history so far, their senders and times."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from messages_app.demo.failures import Failure
from messages_app.demo.world import OPERATIONS, ChildSpec, Operation, Target
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

    def end(self, state: ExternalCallState, at: float) -> None:
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


# Ids, objects and processes of new messages, numbered as their source systems would.


_WEIGHED = [operation for operation in OPERATIONS.values() if operation.weight]
_WEIGHTS = [operation.weight for operation in _WEIGHED]
_POOL = 40_000
_OTHER_SYSTEM_TOO = 0.0004


class Senders:
    """
    Makes new messages; two instances with the same arguments make the same messages.

    Args:
        name: marks the ids, so that they differ from those of other senders.
        count: how many numbers are already used.
        pool: the number of objects that occur repeatedly.
    """

    def __init__(self, *, random: Random, name: str = "", count: int = 0, pool: int = _POOL) -> None:
        self._random = random
        self._name = name
        self._count = count
        self._pool = pool
        self._process_id: str | None = None
        self._last: Draft | None = None

    def choose_operation(self) -> Operation:
        return self._random.choices(_WEIGHED, _WEIGHTS)[0]

    def root(self, operation: Operation, received_at: float) -> Draft:
        """Return a message that a source system sent."""
        random = self._random
        draft = Draft(
            operation=operation, received_at=received_at, msg_at=received_at - 0.05 - random.expovariate(0.8)
        )
        self._count += 1
        draft.number = self._count
        draft.source_system = operation.systems[int(random.random() * len(operation.systems))]
        draft.correlation_id = self._correlation_id(draft)
        draft.process_id = self._next_process_id()
        draft.object_id = self._object_id(operation)
        self._add_funnel(draft)
        self._last = draft
        return draft

    def child(self, parent: Draft, spec: ChildSpec, index: int) -> Draft:
        """
        Return a child, stored at the end of its parent's route; it copies times, process and source system.

        Source: docs/contributing/spec/cleverbus.md, "Parents and children".
        """
        operation = OPERATIONS[spec.operation]
        draft = Draft(
            operation=operation,
            received_at=parent.received_at,
            msg_at=parent.msg_at,
            stored_at=parent.processed_at + 0.01 * index,
        )
        self._count += 1
        draft.number = self._count
        draft.parent, draft.binding = parent, spec.binding
        draft.source_system = parent.source_system
        draft.correlation_id = f"{parent.correlation_id}_{index}"
        draft.process_id = parent.process_id
        draft.object_id = self._object_id(operation)
        draft.is_ordered = False
        self._add_funnel(draft)
        parent.children.append(draft)
        return draft

    def _add_funnel(self, draft: Draft) -> None:
        if draft.operation.funnel is None:
            return
        draft.funnel_values = (draft.object_id,)
        if draft.operation.service == "payment" and self._random.random() < 0.05:
            draft.funnel_values += (f"{self._name}IBAN-{self._random.randrange(10**8):08d}",)

    def _object_id(self, operation: Operation) -> str:
        if operation.is_new_object:
            return f"{operation.object_prefix}{self._name}{self._count:08d}"
        return f"{operation.object_prefix}{self._name}{int(self._random.random() ** 2 * self._pool):06d}"

    def _correlation_id(self, draft: Draft) -> str:
        """Return an id as the source system makes it; sometimes one that another system has used too."""
        last = self._last
        if (
            last is not None
            and last.source_system != draft.source_system
            and self._random.random() < _OTHER_SYSTEM_TOO
        ):
            return last.correlation_id
        if draft.source_system in ("WEBSHOP", "METERING"):
            return _uuid(self._random)
        day = datetime.fromtimestamp(draft.received_at, UTC)
        return f"{draft.source_system}-{self._name}{day:%Y%m%d}-{self._count:08d}"

    def _next_process_id(self) -> str | None:
        luck = self._random.random()
        if luck < 0.25:
            return None
        if luck < 0.85 or self._process_id is None:
            self._process_id = f"P{self._name}{self._count:09d}"
        return self._process_id


def _uuid(random: Random) -> str:
    text = f"{random.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


# When messages arrive: over two years, in growing numbers, by day, week and hour, with a peak after the
# outage.


HOUR = 3600.0
DAY = 24 * HOUR

AGE_DAYS = 730
# Everything older may be archived: two months, and some days because months differ in length.
RECENT_DAYS = 62
_RECENT_SHARE = 0.48

_WEEKDAYS = (1.0, 1.05, 1.0, 1.0, 0.9, 0.4, 0.25)
_HOURS = (
    0.10, 0.08, 0.30, 0.25, 0.10, 0.15, 0.35, 0.70, 1.10, 1.35, 1.40, 1.30,
    1.05, 1.15, 1.25, 1.20, 1.05, 0.85, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15,
)  # fmt: skip
_AFTER_OUTAGE = 1.8
_AFTER_OUTAGE_HOURS = 4
# The outage begins and ends at a round time.
_OUTAGE_STEP = 600.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """When the outage began and ended, seconds since 1970."""

    begins_at: float
    ends_at: float

    def covers(self, at: float) -> bool:
        return self.begins_at <= at < self.ends_at


def last_outage(now: float) -> Outage:
    """Return the outage: three and a half hours long, it ended an hour ago, within today's windows."""
    ends_at = now - HOUR
    ends_at -= ends_at % _OUTAGE_STEP
    return Outage(begins_at=ends_at - 3.5 * HOUR, ends_at=ends_at)


def arrivals(*, count: int, now: float, outage: Outage, random: Random) -> Iterator[float]:
    """Yield `count` times of arrival in ascending order, seconds since 1970, up to `now`."""
    hours = [_hour_weight(index, now, outage) for index in range(AGE_DAYS * 24)]
    weights = _with_shares(hours)
    owed, given = 0.0, 0
    for index, weight in enumerate(weights):
        owed += count * weight
        arriving = round(owed) - given
        given += arriving
        begins_at = now - (AGE_DAYS * 24 - index) * HOUR
        yield from sorted(begins_at + random.random() * (HOUR - 1) for _ in range(arriving))


def _hour_weight(index: int, now: float, outage: Outage) -> float:
    at = now - (AGE_DAYS * 24 - index - 0.5) * HOUR
    moment = datetime.fromtimestamp(at, UTC)
    growth = 0.6 + 0.4 * index / (AGE_DAYS * 24)
    jump = _AFTER_OUTAGE if 0 <= at - outage.ends_at < _AFTER_OUTAGE_HOURS * HOUR else 1.0
    return growth * _WEEKDAYS[moment.weekday()] * _HOURS[moment.hour] * jump


def _with_shares(hours: list[float]) -> list[float]:
    """Scale both parts so that the recent part has its share, and the total is 1."""
    border = (AGE_DAYS - RECENT_DAYS) * 24
    old, recent = sum(hours[:border]), sum(hours[border:])
    return [weight * (1 - _RECENT_SHARE) / old for weight in hours[:border]] + [
        weight * _RECENT_SHARE / recent for weight in hours[border:]
    ]
