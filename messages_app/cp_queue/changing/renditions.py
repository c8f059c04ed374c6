"""
What a service reports about the rendition of an object.

Source: spec/other-systems.md 3.3, std.CPRenditionChanged.
"""

from messages_app.cp_queue import parameters
from messages_app.cp_queue.changing.creating import create
from messages_app.cp_queue.states import REINDEXED_AFTER, RenditionChange


def rendition_changed(*, object_id: int, object_type: int, change: RenditionChange) -> int:
    """
    Have an object indexed again if the change is one of its text; return how many messages that made.

    Raises:
        InvalidParameter: an object's number is none.
    """
    queues = REINDEXED_AFTER[change]
    if not queues:
        parameters.whole_number(object_id, field="ObjectID")
        parameters.whole_number(object_type, field="ObjectType")
    return create(object_id=object_id, object_type=object_type, queues=queues)
