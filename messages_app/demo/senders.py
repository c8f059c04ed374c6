"""New messages with ids, objects and processes, numbered as their source systems would."""

from datetime import UTC, datetime
from random import Random

from messages_app.demo.drafts import Draft
from messages_app.demo.world import OPERATIONS, ChildSpec, Operation

_WEIGHED = [operation for operation in OPERATIONS.values() if operation.weight]
_WEIGHTS = [operation.weight for operation in _WEIGHED]
_POOL = 40_000
_SECOND_VALUE_SHARE = 0.05
_OTHER_SYSTEM_TOO = 0.0004


class Senders:
    """
    Makes new messages; two instances with the same arguments make the same messages.

    Args:
        name: marks the ids, so that they differ from those of other senders.
        count: how many numbers are already used.
        pool: the number of objects that occur repeatedly.
        has_second_values: whether some payments have two funnel values.
    """

    def __init__(
        self,
        *,
        random: Random,
        name: str = "",
        count: int = 0,
        pool: int = _POOL,
        has_second_values: bool = True,
    ) -> None:
        self._random = random
        self._name = name
        self._count = count
        self._pool = pool
        self._second_value_share = _SECOND_VALUE_SHARE if has_second_values else 0.0
        self._process_id: str | None = None
        self._last: Draft | None = None

    def choose_operation(self) -> Operation:
        return self._random.choices(_WEIGHED, _WEIGHTS)[0]

    def make_root(self, operation: Operation, received_at: float) -> Draft:
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

    def make_child(self, parent: Draft, spec: ChildSpec, index: int) -> Draft:
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
        if draft.operation.service == "payment" and self._random.random() < self._second_value_share:
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
            return _make_uuid(self._random)
        day = datetime.fromtimestamp(draft.received_at, UTC)
        return f"{draft.source_system}-{self._name}{day:%Y%m%d}-{self._count:08d}"

    def _next_process_id(self) -> str | None:
        luck = self._random.random()
        if luck < 0.25:
            return None
        if luck < 0.85 or self._process_id is None:
            self._process_id = f"P{self._name}{self._count:09d}"
        return self._process_id


def _make_uuid(random: Random) -> str:
    text = f"{random.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"
