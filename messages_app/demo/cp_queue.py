"""
The CP queue before the hub starts: the log of a day, a dead service, and messages that no service takes.

The same for the same seed and present.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from messages_app.cp_queue.models import (
    CpDeferred,
    CpDispatch,
    CpLostPickup,
    CpMessage,
    CpReservation,
    CpRetry,
    CpService,
)
from messages_app.cp_queue.services.create import create_messages
from messages_app.cp_queue.states import MAX_GUID, Outcome
from messages_app.demo.data_hub import ENTITIES, object_of
from messages_app.demo.world import make_dice
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState

# The services of the demo's CP queue, named like the vendor's own, and the queues that they poll.
INDEXER, CACHE = "index:8045", "os-rendition-cache"
# One service died while it held messages; the other was stopped days ago, so the messages of its queue age.
DEAD, STOPPED = "index:8046", "page-count"
_INDEXED = "FULLTEXTIDX,FULLTEXTDOC,FULLTEXTFILTER,FULLTEXTLOCATION,FULLTEXTDELETE"
QUEUES = {INDEXER: _INDEXED, CACHE: "RENDITION,RENRESET", DEAD: _INDEXED, STOPPED: "PAGECOUNT"}


# A processed asynchronous message creates work for its document: its object must be rendered again. It must
# be indexed too. If it becomes records of the data hub, the processor of its definition requests that
# (demo/data_hub.py); elsewhere this does.
_INDEXED_TYPES, _RENDERED = "FULLTEXTIDX", "RENDITION"
LEFT_IN = (_INDEXED_TYPES, _RENDERED)


def create_work(message: Message) -> None:
    """Create messages for the object of a document; none without a document or an object."""
    numbers = object_of(message.service_name, message.object_id)
    if numbers is None or message.parent_msg_id is not None:
        return
    object_id, object_type = numbers
    queues = (_RENDERED,) if message.service_name in ENTITIES else LEFT_IN
    create_messages(object_id=object_id, object_type=object_type, queues=queues)


_SERVED_BY = dict(zip(LEFT_IN, (INDEXER, CACHE), strict=True))

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_DOCUMENTS = 600
_HELD, _PAGES, _PAGED_OBJECTS = 5, 44, 26
_FAILED, _RETRIED = 0.03, 0.04
_LOST_HOURS = 20


def load_queue(*, seed: int, now: float) -> None:
    """Create the queue's history of the last days, unless it has messages."""
    if CpMessage.objects.exists() or CpDispatch.objects.exists():
        return
    objects = list(_latest_objects())
    if objects:
        _Past(at=datetime.fromtimestamp(now, UTC), random=make_dice(f"queue {seed}"), objects=objects).write()


def _latest_objects() -> Iterator[tuple[int, int]]:
    """Yield the objects of the latest documents, the newest first."""
    newest = Message.objects.filter(state=MessageState.OK).order_by("-msg_id")
    for service, object_id in newest.values_list("service_name", "object_id")[: 4 * _DOCUMENTS]:
        if numbers := object_of(service, object_id):
            yield numbers


class _Past:
    """The history before the demo was loaded."""

    def __init__(self, *, at: datetime, random: Random, objects: list[tuple[int, int]]) -> None:
        self._at = at
        self._random = random
        self._objects = objects

    def write(self) -> None:
        log = [line for number in range(_DOCUMENTS) for line in self._make_dispatches(number)]
        # Ids follow the order of time.
        CpDispatch.objects.bulk_create(sorted(log, key=lambda line: line.at))
        self._add_dead_indexer()
        self._add_uncounted_pages()
        self._add_retries()
        self._add_lost_pickups()
        self._add_stopped_services()

    def _make_dispatches(self, number: int) -> Iterator[CpDispatch]:
        """Yield the dispatches of a document that was indexed and rendered in the last day."""
        at = self._at - _DAY * self._random.random() ** 1.5 - _MINUTE
        for queue, service in _SERVED_BY.items():
            yield self._make_dispatch(number, queue, service, at)

    def _make_dispatch(self, number: int, queue: str, service: str, created: datetime) -> CpDispatch:
        reserved = created + timedelta(seconds=self._random.uniform(0.1, 40))
        luck = self._random.random() if queue == "RENDITION" else 1.0
        outcome, reason = Outcome.DONE, "OK"
        if luck < _FAILED:
            outcome, reason = Outcome.FAILED, "FAILED: no converter for image/x-pcx"
        elif luck < _FAILED + _RETRIED:
            outcome, reason = Outcome.DEFERRED, "RETRY"
        return CpDispatch(
            at=reserved + timedelta(seconds=self._random.uniform(0.3, 2)),
            created=created,
            service=service,
            reason=reason,
            outcome=outcome,
            reserved_at=reserved,
            collapsed=self._random.choice((0, 0, 0, 0, 1, 3)),
            attempts=int(outcome is Outcome.DEFERRED),
            **self._message_columns(queue, number),
        )

    def _add_dead_indexer(self) -> None:
        """Add an indexer that died with the messages that it held."""
        since = self._at - 3 * _HOUR
        for number in range(_HELD):
            message = CpMessage(
                **self._message_columns("FULLTEXTDOC", number),
                created=since - number * _MINUTE,
                lock_service=DEAD,
                checkguid=self._make_guid(),
            )
            message.save(force_insert=True)
            CpReservation.objects.create(
                messageguid=message.pk,
                checkguid=message.checkguid,
                service=DEAD,
                reserved_at=since + number * timedelta(seconds=20),
                is_fenced=False,
                collapsed=number % 2,
            )

    def _add_stopped_services(self) -> None:
        """Add the services that no longer poll. The others run now, and their polls record them."""
        CpService.objects.bulk_create(
            CpService(
                service=service,
                first_poll=self._at - 40 * _DAY,
                last_poll=self._at - ago,
                queues=QUEUES[service],
            )
            for service, ago in ((DEAD, 3 * _HOUR), (STOPPED, 3 * _DAY))
        )

    def _add_uncounted_pages(self) -> None:
        """Add messages that wait since the page counter was stopped, for some objects twice."""
        CpMessage.objects.bulk_create(
            CpMessage(
                **self._message_columns("PAGECOUNT", number % _PAGED_OBJECTS),
                created=self._at - 3 * _DAY * (1 - number / _PAGES) - _MINUTE,
            )
            for number in range(_PAGES)
        )

    def _add_retries(self) -> None:
        """Add renditions that wait after a retry, and one without attempts left."""
        for number, (attempts, wait) in enumerate(((2, 20 * _MINUTE), (6, 45 * _MINUTE), (10, None))):
            waits = CpDeferred(
                **self._message_columns("RENDITION", 200 + number),
                created=self._at - (number + 1) * _HOUR,
                not_before=None if wait is None else self._at + wait,
            )
            waits.save(force_insert=True)
            CpRetry.objects.create(messageguid=waits.pk, attempts=attempts)

    def _add_lost_pickups(self) -> None:
        """Add pickups that two indexers lost to each other until one died three hours ago."""
        hour = self._at.replace(minute=0, second=0, microsecond=0)
        CpLostPickup.objects.bulk_create(
            CpLostPickup(queuename="FULLTEXTIDX", hour=hour - ago * _HOUR, service=service, lost=lost)
            for ago in range(4, _LOST_HOURS)
            for service in (INDEXER, DEAD)
            if (lost := self._random.randrange(6))
        )

    def _message_columns(self, queue: str, number: int) -> dict[str, object]:
        """Return the columns of a message about one of the documents' objects."""
        object_id, object_type = self._objects[number % len(self._objects)]
        return {
            "messageguid": self._make_guid(),
            "queuename": queue,
            "osid": object_id,
            "ostype": object_type,
        }

    def _make_guid(self) -> str:
        return f"{self._random.getrandbits(4 * MAX_GUID):0{MAX_GUID}X}"
