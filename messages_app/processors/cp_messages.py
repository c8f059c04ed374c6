"""
`cp_queue`: creates CP messages for each object of a message's records, because the object needs work.

It runs in the transaction that writes the records: both are written, or neither. A message that is processed
again creates them again, like every post-processing; a pickup collapses them.

Source: docs/contributing/spec/message_store.md, "Processing" step 7, "Operator actions" (a 10 that is
reprocessed); docs/contributing/spec/cp_queue.md, "Known queues" (producers).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from messages_app.cp_queue.parameters import InvalidParameter, queue_names
from messages_app.cp_queue.services.create import create_messages
from messages_app.message_store.extensions import Ending, Written, processors
from messages_app.shared.store_states import Status

NAME = "cp_queue"
# Fields of a record: the vendor's numbers of its object. A record without them creates no messages.
OBJECT_ID, OBJECT_TYPE = "object_id", "object_type"
# The queues of a definition that does not name any.
QUEUES = ("FULLTEXTIDX",)
# Of a message's options: some of the definition's queues.
QUEUES_OPTION = "cp_queues"
_OTHER_QUEUE = f"The option {QUEUES_OPTION} names a queue that the processor of the definition does not name."


def _check_argument(argument: str) -> None:
    try:
        queue_names(argument)
    except InvalidParameter as error:
        raise ValueError(f"{NAME}: takes queue names with commas: {error}") from error


@processors.register(NAME, check=_check_argument)
def create_cp_messages(written: Written) -> Ending | None:
    """
    Make a CP message in each queue for each object of the message's records, once.

    The definition has the possible queues, as in `cp_queue:RENDITION,PAGECOUNT`: a sender to the message
    store needs no permission for the CP queue, so its options only choose among these.

    Raises:
        InvalidParameter, TypeError: an object's number or a queue's name is invalid; no message is made.
    """
    allowed = queue_names(written.argument) if written.argument else QUEUES
    queues = _read_queues(written.options, allowed)
    if not set(queues) <= set(allowed):
        return Ending(Status.GENERAL_ERROR, _OTHER_QUEUE)
    for object_id, object_type in dict.fromkeys(filter(None, map(_read_object, written.records))):
        create_messages(object_id=object_id, object_type=object_type, queues=queues)
    return None


def _read_queues(options: Mapping[str, object], allowed: Sequence[str]) -> Sequence[str]:
    queues = options.get(QUEUES_OPTION, allowed)
    names = None if isinstance(queues, str) or not isinstance(queues, Iterable) else list(queues)
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError(f"The option {QUEUES_OPTION} must be a list of names.")
    return names


def _read_object(record: tuple[str, str, Mapping[str, object]]) -> tuple[int, int] | None:
    entity, key, data = record
    if data.get(OBJECT_ID) is None:
        return None
    object_id, object_type = data[OBJECT_ID], data.get(OBJECT_TYPE)
    if not (_is_number(object_id) and _is_number(object_type)):
        raise TypeError(f"{OBJECT_ID} and {OBJECT_TYPE} of {entity} {key} must be whole numbers.")
    return object_id, object_type


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
