"""
The CP queue before the hub starts: the log of a day, a dead service, and messages that no service takes.

The same for the same seed and present.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle, islice

from messages_app.core.statements import Statements
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.services.create import create_messages
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


statements = Statements("messages_app.demo")
_HISTORY = ("past_dispatches", "past_reservations", "past_pages", "past_retries", "past_services")
_DOCUMENTS = 600


def load_queue(*, seed: int, now: float) -> None:
    """Create the queue's history of the last days, unless it has messages."""
    objects = list(_latest_objects())
    if not objects or CpMessage.objects.exists() or CpDispatch.objects.exists():
        return
    # Each of the documents, again from the beginning if there are fewer.
    osids, ostypes = zip(*islice(cycle(objects), _DOCUMENTS), strict=True)
    values = {
        "at": datetime.fromtimestamp(now, UTC),
        "seed": str(seed),
        "luck": make_dice(f"queue {seed}").random(),
        "osids": list(osids),
        "ostypes": list(ostypes),
        "indexer": INDEXER,
        "cache": CACHE,
        "dead": DEAD,
        "dead_queues": QUEUES[DEAD],
        "stopped": STOPPED,
    }
    for name in _HISTORY:
        statements.count(name, values)


def _latest_objects() -> Iterator[tuple[int, int]]:
    """Yield the objects of the latest documents, the newest first."""
    newest = Message.objects.filter(state=MessageState.OK).order_by("-msg_id")
    for service, object_id in newest.values_list("service_name", "object_id")[: 4 * _DOCUMENTS]:
        if numbers := object_of(service, object_id):
            yield numbers
