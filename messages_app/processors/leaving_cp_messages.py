"""
`cp_queue`: the objects that a message's records are about are to be worked on, so each leaves CP messages.

It runs in the transaction that writes the records: both are there, or neither. A message that is processed
again leaves them again, as every post-processing does; a pickup collapses them. Source: spec/other-systems.md
2.5 step 7, 2.7 (a 10 that is reprocessed), 3.5 (producers).
"""

from collections.abc import Mapping, Sequence

from messages_app.cp_queue import services
from messages_app.message_store.extensions import Written, processors

NAME = "cp_queue"
# Of a record: the vendor's numbers of its object. One without them leaves nothing.
OBJECT_ID, OBJECT_TYPE = "object_id", "object_type"
# Of a message's options: the queues, where they are not these.
QUEUES_OPTION = "cp_queues"
QUEUES = ("FULLTEXTIDX",)


@processors.register(NAME)
def leave_cp_messages(written: Written) -> None:
    """
    Make a CP message in each queue for each object of the message's records, once.

    Raises:
        InvalidParameter, TypeError: an object's numbers or a queue's name are none; no message is made.
    """
    queues = _queues(written.options)
    for object_id, object_type in dict.fromkeys(filter(None, map(_object, written.records))):
        services.create(object_id=object_id, object_type=object_type, queues=queues)


def _queues(options: Mapping[str, object]) -> Sequence[str]:
    asked = options.get(QUEUES_OPTION, QUEUES)
    if isinstance(asked, str) or not all(isinstance(name, str) for name in asked):
        raise TypeError(f"The option {QUEUES_OPTION} must be a list of names.")
    return asked


def _object(record: tuple[str, str, Mapping[str, object]]) -> tuple[int, int] | None:
    entity, key, data = record
    if data.get(OBJECT_ID) is None:
        return None
    numbers = data[OBJECT_ID], data.get(OBJECT_TYPE)
    if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
        raise TypeError(f"{OBJECT_ID} and {OBJECT_TYPE} of {entity} {key} must be whole numbers.")
    return numbers
