"""
The page-count messages that the server works off itself.

Named by the vendor, not described.

Source: docs/spec/cp_queue.md, "Operations" (std.ProcessPageCountCPMessages).
"""

import time
from dataclasses import dataclass

from django.db import transaction

from messages_app.cp_queue import parameters
from messages_app.cp_queue.objects import object_source
from messages_app.cp_queue.services.create import create
from messages_app.cp_queue.services.dispatch import dispatch
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.states import PAGE_COUNT_QUEUE, REINDEXED_AFTER, Outcome, RenditionChange

SERVICE = "console:page-count"
MOST = 100
# No further message is begun after this long.
_SECONDS = 5.0
_UNKNOWN = "FAILED: no object has this id"


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    One message that was worked off.

    Args:
        page_count: None: there is no such object, and the message failed.
    """

    guid: str
    object_id: int
    page_count: int | None
    outcome: Outcome


def process_page_counts(*, count: int) -> list[Counted]:
    """Work off up to `count` free messages of PAGECOUNT, the newest first, and return them."""
    counted: list[Counted] = []
    end = time.monotonic() + _SECONDS
    while len(counted) < count and time.monotonic() < end:
        one = _count_next()
        if one is None:
            break
        counted.append(one)
    return counted


def _count_next() -> Counted | None:
    """Pick up, count and dispatch in one transaction: a server that dies in it holds nothing."""
    with transaction.atomic():
        picked = get_next(queues=[PAGE_COUNT_QUEUE], service=SERVICE)
        if picked is None:
            return None
        info = object_source().object_info(picked.object_id)
        reason = _UNKNOWN if info is None else "OK"
        dispatched = dispatch(guid=picked.guid, service=SERVICE, reason=reason)
        return Counted(
            guid=picked.guid,
            object_id=picked.object_id,
            page_count=info.page_count if info else None,
            outcome=dispatched.outcome,
        )


# What a service reports about the rendition of an object.
#
# Source: docs/spec/cp_queue.md, "Operations" (std.CPRenditionChanged).


def rendition_changed(*, object_id: int, object_type: int, change: RenditionChange) -> int:
    """
    Have an object indexed again if the change is one of its text; return how many messages that made.

    Raises:
        InvalidParameter: an object's number is invalid.
    """
    queues = REINDEXED_AFTER[change]
    if not queues:
        parameters.whole_number(object_id, field="ObjectID")
        parameters.whole_number(object_type, field="ObjectType")
    return create(object_id=object_id, object_type=object_type, queues=queues)
