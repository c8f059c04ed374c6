"""What a document leaves behind when it is processed: its object is to be indexed and rendered anew."""

from messages_app.cp_queue import services
from messages_app.demo.queue.objects import object_of
from messages_app.messages.models import Message

LEFT_IN = ("FULLTEXTIDX", "RENDITION")


def leave_work(message: Message) -> None:
    """Make messages for the object of a document; none for what is no document, or has no object."""
    found = object_of(message.service_name, message.object_id)
    if found is None or message.parent_msg_id is not None:
        return
    object_id, object_type = found
    services.create(object_id=object_id, object_type=object_type, queues=LEFT_IN)
