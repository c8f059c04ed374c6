"""In which queues messages are: that of an id, and those of which a service holds some."""

from messages_app.cp_queue import parameters
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.spellings import known_guid


def queue_of(guid: str) -> str | None:
    """
    Return the queue of a message, also if it was dispatched; None where nobody knows.

    Raises:
        InvalidParameter: the GUID is none.
    """
    known = known_guid(guid)
    if known is None:
        return None
    for rows in (CpMessage.objects.filter(pk=known), CpDispatch.objects.filter(messageguid=known)):
        for queue in rows.values_list("queuename", flat=True)[:1]:
            return queue
    return None


def queues_held_by(service: str) -> list[str]:
    """Return the queues of which a service holds messages. Raises InvalidParameter: the name is none."""
    held = CpMessage.objects.filter(lock_service=parameters.service_name(service))
    return list(held.order_by("queuename").values_list("queuename", flat=True).distinct())


def queues_of_object(object_id: int, *, within: frozenset[str]) -> list[str]:
    """Return those of some queues in which an object has messages."""
    found = CpMessage.objects.filter(osid=object_id, queuename__in=within)
    return list(found.order_by("queuename").values_list("queuename", flat=True).distinct())
