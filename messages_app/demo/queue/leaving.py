"""
What a document leaves behind when its asynchronous message is processed: its object is to be rendered anew.

It is to be indexed too: where it becomes records of the data hub, the processor of its definition says so
(data_hub/definitions.py); elsewhere this does.
"""

from messages_app.cp_queue import services
from messages_app.demo.data_hub.definitions import ENTITIES
from messages_app.demo.queue.objects import object_of
from messages_app.messages.models import Message

_INDEXED, _RENDERED = "FULLTEXTIDX", "RENDITION"
LEFT_IN = (_INDEXED, _RENDERED)


def leave_work(message: Message) -> None:
    """Make messages for the object of a document; none for what is no document, or has no object."""
    found = object_of(message.service_name, message.object_id)
    if found is None or message.parent_msg_id is not None:
        return
    object_id, object_type = found
    queues = (_RENDERED,) if message.service_name in ENTITIES else LEFT_IN
    services.create(object_id=object_id, object_type=object_type, queues=queues)
