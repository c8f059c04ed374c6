"""
Get next: reserve the newest free message of some queues for one service.

Of equal times the highest GUID wins. One statement reserves and collapses, and the answer comes after its
commit. A lost race is counted, and its answer is empty. The update of a free row decides the race, so its
checkguid need not be read again.

Source: docs/contributing/spec/cp_queue.md, "Pickup", "Coalescing".
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.objects import object_source
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.states import MAX_NAME, PAGE_COUNT_QUEUE, Outcome, State

statements = Statements("messages_app.cp_queue")

# The most messages of one batch.
MAX_PICKED = 100


@dataclass(frozen=True, kw_only=True)
class Picked:
    """
    A message that is reserved now.

    Args:
        queue: the one that it came from.
        collapsed: number of other messages of its object and queue that it represents.
        token: the reservation's checkguid, if the service asked for it; its dispatch must have it.
    """

    guid: str
    queue: str
    object_id: int
    object_type: int
    created: datetime
    collapsed: int
    token: str | None = None


def get_next(*, queues: str | Sequence[str], service: str, wants_token: bool = False) -> Picked | None:
    """
    Reserve the newest free message of some queues, and collapse the other free ones of its object and queue.

    None: no message is free, or another service was faster; call again. Read the object only after the
    commit.

    Args:
        queues: names, or one text with commas; their order does not matter.
        wants_token: fence the reservation, so that an older process of the same name cannot dispatch it
            (docs/contributing/spec/cp_queue.md, "Decisions").

    Raises:
        InvalidParameter: the name of a queue or of the service is invalid.
    """
    picked = _pick_messages(queues, service, wants_token=wants_token, most=1)
    return picked[0] if picked else None


def get_next_many(
    *, queues: str | Sequence[str], service: str, count: int, wants_token: bool = False
) -> list[Picked]:
    """
    Reserve up to `count` of the newest free messages in one transaction; each collapses its own object.

    Unlike get_next, it passes over messages that other services are reserving. Fewer messages than `count` do
    not mean that no further one is free; an empty list means the same as None from get_next.

    Args:
        count: 1 to MAX_PICKED.
        wants_token: as for get_next; each message has its own token.

    Raises:
        InvalidParameter: the name of a queue or of the service, or the number is invalid.
    """
    if not 1 <= count <= MAX_PICKED:
        raise InvalidParameter("Count", "out_of_range", f"Count must be from 1 to {MAX_PICKED}.")
    return _pick_messages(queues, service, wants_token=wants_token, most=count)


def _pick_messages(
    queues: str | Sequence[str], service: str, *, wants_token: bool, most: int
) -> list[Picked]:
    """Reserve messages and return them, without a pickup that was lost."""
    values = {
        "queues": parameters.queue_names(queues),
        "service": parameters.service_name(service),
        "is_fenced": wants_token,
        "most": most,
    }
    return statements.fetch_records("pick", values, Picked, prepare=True)


def service_of(actor: audit.Actor) -> str:
    """
    Return the service name of an operator, who polls as a worker would. No worker may have this name.

    Source: docs/contributing/spec/cp_queue.md, "Console".
    """
    return f"console:{actor.username}"[:MAX_NAME]


def poll_queues(*, queues: str | Sequence[str], actor: audit.Actor, reason: str = "") -> Picked | None:
    """
    Reserve the next message for the operator, exactly as for a worker; None is the empty answer.

    It stays reserved until the operator dispatches or resets it.

    Raises:
        InvalidParameter: a queue's name is invalid.
    """
    service = service_of(actor)
    with transaction.atomic():
        picked = get_next(queues=queues, service=service)
        if picked is not None:
            audit.record_entry(
                actor=actor,
                action="poll_cp_queue",
                subject_kind="cp_message",
                subject=picked.guid,
                before_state=State.FREE,
                after_state=State.RESERVED,
                reason=reason,
                details={"service": service, "queue": picked.queue, "collapsed": picked.collapsed},
            )
    return picked


# The messages of PAGECOUNT that the server processes itself. The vendor names the call without describing it.
#
# Source: docs/contributing/spec/cp_queue.md, "Operations" (std.ProcessPageCountCPMessages).
SERVICE = "console:page-count"
MAX_COUNTED = 100
# No further message is started after this time.
_SECONDS = 5.0
_UNKNOWN = "FAILED: no object has this id"


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    One message that was processed.

    Args:
        page_count: None if the object is unknown and the message failed.
    """

    guid: str
    object_id: int
    page_count: int | None
    outcome: Outcome


def process_page_counts(*, count: int) -> list[Counted]:
    """Process up to `count` free messages of PAGECOUNT, newest first, and return them."""
    counted: list[Counted] = []
    end = time.monotonic() + _SECONDS
    while len(counted) < count and time.monotonic() < end:
        one = _count_next()
        if one is None:
            break
        counted.append(one)
    return counted


def _count_next() -> Counted | None:
    """Pick up, count and dispatch in one transaction, so that a server that dies holds no message."""
    with transaction.atomic():
        picked = get_next(queues=[PAGE_COUNT_QUEUE], service=SERVICE)
        if picked is None:
            return None
        info = object_source().object_info(picked.object_id)
        reason = _UNKNOWN if info is None else "OK"
        dispatched = dispatch_message(guid=picked.guid, service=SERVICE, reason=reason)
        return Counted(
            guid=picked.guid,
            object_id=picked.object_id,
            page_count=info.page_count if info else None,
            outcome=dispatched.outcome,
        )
