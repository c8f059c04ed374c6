"""In which queues messages are: that of an id, and those of which a service holds some."""

from messages_app.cp_queue import parameters
from messages_app.cp_queue.models import CpDispatch, CpMessage


def queue_of(guid: str) -> str | None:
    """
    Return the queue of a message, also if it was dispatched; None where nobody knows.

    Raises:
        InvalidParameter: the GUID is none.
    """
    guid = parameters.message_guid(guid)
    for rows in (CpMessage.objects.filter(pk=guid), CpDispatch.objects.filter(messageguid=guid)):
        for queue in rows.values_list("queuename", flat=True)[:1]:
            return queue
    return None


def queues_held_by(service: str) -> list[str]:
    """Return the queues of which a service holds messages. Raises InvalidParameter: the name is none."""
    held = CpMessage.objects.filter(lock_service=parameters.service_name(service))
    return list(held.order_by("queuename").values_list("queuename", flat=True).distinct())
