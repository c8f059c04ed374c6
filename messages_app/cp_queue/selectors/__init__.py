"""
Read-only reports on the queue. Every count has a fence.

Source: docs/contributing/spec/cp_queue.md, "Operations", "Console".

A count that is not exact has reached its fence and is a lower bound.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.services.reset import Selection
from messages_app.cp_queue.states import QUEUES, State, state_of

statements = Statements("messages_app.cp_queue")


COUNTED = 5_000
# The fence of exact counts; a time limit ends counts that take too long.
_ALL = 1_000_000_000
_MAX_QUEUES, _MAX_SERVICES, _MAX_OF_OBJECT = 200, 200, 500
_MAX_HELD, _MAX_RESERVED = 250, 50_000
_MINUTES, _LOG_FENCE = 5, 2_000


@dataclass(frozen=True, kw_only=True)
class QueueCounts:
    """
    Figures of one queue.

    Args:
        free: unreserved; of them deferred and parked wait after a retry.
        objects: distinct objects of the unreserved; surplus: unreserved messages that pickups would collapse.
        oldest_age: seconds that the oldest free message has waited. It grows without bound under a steady
            load, because the newest goes first.
        is_from_future: a message is newer than the database's clock and goes first until that time.
        per_minute: dispatches per minute in the last minutes; retried, failed: of these, in all.
        lost: pickups lost to another service, of this hour and the end of the last.
        is_exact: no count has reached its fence.
        paused_at: when it was paused; None if it is not.
    """

    name: str
    is_known: bool
    total: int
    free: int
    reserved: int
    deferred: int
    parked: int
    objects: int
    surplus: int
    oldest_created: datetime | None
    newest_created: datetime | None
    oldest_age: float | None
    is_from_future: bool
    per_minute: float
    retried: int
    failed: int
    lost: int
    is_exact: bool
    paused_at: datetime | None

    @property
    def ready(self) -> int:
        """The messages that can be picked up now, which the lists call free."""
        return self.free - self.deferred - self.parked


@dataclass(frozen=True, kw_only=True)
class Holding:
    """Number of messages that a service holds in one queue."""

    service: str
    queue: str
    reserved: int


@dataclass(frozen=True, kw_only=True)
class ServiceState:
    """
    A service that has polled, or holds messages.

    Args:
        last_poll: None if it never polled here.
        reserved: up to 250.
        since_unknown: of these, reserved outside the console.
        longest_since: start of the longest known reservation.
        is_probably_dead: it holds messages and has not polled for settings.CP_SILENT_SECONDS.
        lost: pickups lost to others, of this hour and the end of the last.
    """

    service: str
    first_poll: datetime | None
    last_poll: datetime | None
    queues: str
    reserved: int
    since_unknown: int
    longest_since: datetime | None
    longest_seconds: float | None
    is_probably_dead: bool
    lost: int


@dataclass(frozen=True, kw_only=True)
class ObjectMessage:
    """
    One message of an object.

    Args:
        is_collapsible: the next pickup in its queue that takes this object deletes it.
        overlaps: a service holds another message of its object and queue, so two services may work at the
            same time. True of both messages if both are reserved.
    """

    guid: str
    queue: str
    object_type: int
    created: datetime
    state: State
    service: str | None
    not_before: datetime | None
    attempts: int
    reserved_at: datetime | None
    is_collapsible: bool
    overlaps: bool


@dataclass(frozen=True, kw_only=True)
class Preview:
    """
    The message that a pickup would return now.

    Args:
        collapsed: messages that it would delete, up to COUNTED.
        held_by: services that hold others of its object and queue.
    """

    guid: str
    queue: str
    object_id: int
    object_type: int
    created: datetime
    collapsed: int
    held_by: list[str]


def queue_names(*, most: int = _MAX_QUEUES) -> list[str]:
    """Return the known queues and other queues with messages, by name."""
    return sorted({*statements.fetch_column("queue_names", {"most": most}), *QUEUES})


def queue_counts(*, queues: Sequence[str] | None = None, exact: bool = False) -> list[QueueCounts]:
    """
    Return the figures of queues, by name; by default of all known queues and all with messages.

    Args:
        exact: count without fences, however long it takes; see core/clock.py.
    """
    fence = _ALL if exact else COUNTED
    values = {
        "queues": queue_names() if queues is None else list(queues),
        "fence": fence,
        "log_fence": _LOG_FENCE,
        "minutes": _MINUTES,
    }
    held = count_holdings(exact=exact)
    is_held_exact = sum(one.reserved for one in held) < (_ALL if exact else _MAX_RESERVED)
    return [
        _make_counts(row, held, fence, is_held_exact) for row in statements.fetch_rows("queue_counts", values)
    ]


def count_holdings(*, exact: bool = False) -> list[Holding]:
    """Return the number of messages that services hold, by service and queue."""
    values = {"fence": _ALL if exact else _MAX_RESERVED}
    return statements.fetch_records("holdings", values, Holding)


def _make_counts(row: tuple, held: Sequence[Holding], fence: int, is_held_exact: bool) -> QueueCounts:
    name, free, deferred, parked, objects, oldest, newest, age, is_future, *log, lost, paused_at = row
    dispatched, retried, failed, span = log
    reserved = sum(one.reserved for one in held if one.queue == name)
    ready = free - deferred - parked
    # If the fence cut the log, its rows are of a shorter time.
    minutes = (span or 0.0) / 60 if dispatched >= _LOG_FENCE else _MINUTES
    return QueueCounts(
        name=name,
        is_known=name in QUEUES,
        total=free + reserved,
        free=free,
        reserved=reserved,
        deferred=deferred,
        parked=parked,
        objects=objects,
        surplus=free - objects,
        oldest_created=oldest,
        newest_created=newest,
        oldest_age=age,
        is_from_future=bool(is_future),
        per_minute=dispatched / max(minutes, 1 / 60),
        retried=retried,
        failed=failed,
        lost=int(lost),
        is_exact=max(ready, deferred + parked) < fence and is_held_exact,
        paused_at=paused_at,
    )


def service_states() -> list[ServiceState]:
    """
    Return the services: probably dead ones first, then by the number of messages that they hold; up to 200.
    """
    values = {"most": _MAX_SERVICES, "fence": _MAX_HELD, "silent": settings.CP_SILENT_SECONDS}
    return statements.fetch_records("services", values, ServiceState)


def count_stopped_services() -> int:
    """Return the number of services that hold messages and have not polled for settings.CP_SILENT_SECONDS."""
    return sum(one.is_probably_dead for one in service_states())


def object_messages(*, object_id: int) -> list[ObjectMessage]:
    """Return all messages of an object over all queues, the newest of each queue first; up to 500."""
    values = {"queues": queue_names(), "osid": object_id, "fence": _MAX_OF_OBJECT}
    rows = statements.fetch_rows("object_messages", values)
    held = Counter(queue for _, queue, _, _, service, *_ in rows if service is not None)
    # A pickup first brings back messages that are due after a retry.
    now = database_clock()
    first: dict[str, str] = {}
    for guid, queue, _, _, service, waits, not_before, *_ in rows:
        is_due = not waits or (not_before is not None and not_before <= now)
        if service is None and is_due:
            first.setdefault(queue, guid)
    return [_object_message(row, first, held) for row in rows]


def _object_message(row: tuple, first: dict[str, str], held: Counter[str]) -> ObjectMessage:
    guid, queue, object_type, created, service, waits, not_before, attempts, reserved_at = row
    state = state_of(service=service, waits=waits, not_before=not_before)
    is_free = service is None
    return ObjectMessage(
        guid=guid,
        queue=queue,
        object_type=object_type,
        created=created,
        state=state,
        service=service,
        not_before=not_before,
        attempts=attempts,
        reserved_at=reserved_at,
        is_collapsible=is_free and first.get(queue, guid) != guid,
        overlaps=held[queue] > (0 if is_free else 1),
    )


def preview_pickup(*, queues: str | Sequence[str]) -> Preview | None:
    """
    Return the message that a pickup from these queues would return now, without reserving it.

    Raises:
        InvalidParameter: a queue's name is invalid.
    """
    values = {"queues": parameters.queue_names(queues), "fence": COUNTED, "due": 500}
    return next(iter(statements.fetch_records("preview", values, Preview)), None)


def count_selected(selection: Selection) -> int:
    """Return how many messages a reset of a selection would free, up to COUNTED. Raises InvalidParameter."""
    (count,) = statements.only_row("selected", {**selection.values(), "fence": COUNTED})
    return int(count)


# Queues with the oldest waiting messages.
_MAX_IN_TILE = 6


def make_tile(snapshot: object) -> Mapping[str, object]:
    """Return the counts of all queues together, the queues with the oldest messages, and dead services."""
    queues = queue_counts()
    longest = sorted(
        (one for one in queues if one.oldest_age), key=lambda one: one.oldest_age or 0.0, reverse=True
    )
    sums = ("ready", "reserved", "deferred", "parked")
    return {
        **{name: sum(getattr(one, name) for one in queues) for name in sums},
        "is_exact": all(one.is_exact for one in queues),
        "queues": [
            {"name": one.name, "free": one.free, "oldest_created": one.oldest_created}
            for one in longest[:_MAX_IN_TILE]
        ],
        "dead_services": [one.service for one in service_states() if one.is_probably_dead],
    }
