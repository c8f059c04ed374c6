"""One message: its row, its dispatches, and why it has not been picked up."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from messages_app.core.formatting import (
    count_of,
    format_duration,
    format_moment,
)
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.guids import known_guid
from messages_app.cp_queue.models import CpDispatch, CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors.messages import Described, describe_messages
from messages_app.cp_queue.states import State

statements = Statements("messages_app.cp_queue")


# The most newer ones that are counted; above this, the text says "more than".
_FENCE = 1_000
_MAX_LINES = 50


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """
    Facts that decide when a message is picked up.

    Args:
        newer: free messages of its queue that go first, up to 1000.
        replaced_by: a newer free message of its object, whose pickup deletes this one.
        pollers: services that have polled its queue recently.
        holder_polled_at: the last poll of the service that holds it; None if it never polled or no service
            holds it.
        is_holder_silent: it has not polled for settings.CP_SILENT_SECONDS.
    """

    newer: int
    replaced_by: str | None
    paused_at: datetime | None
    pollers: int
    holder_polled_at: datetime | None
    is_from_future: bool
    is_holder_silent: bool


def find_message(guid: str) -> Described | None:
    """Return a message of the queue; None if the queue does not have it."""
    messages = describe_messages(list(CpMessage.objects.filter(pk=guid)))
    return messages[0] if messages else None


def dispatches_of(guid: str) -> list[CpDispatch]:
    """Return the dispatches of a message, which may have left the queue, newest first; up to 50."""
    return list(CpDispatch.objects.filter(messageguid=guid).order_by("-dispatch_id")[:_MAX_LINES])


def forecast_message(guid: str) -> Outlook | None:
    """Return the facts about a message; None if it is no longer in the queue."""
    values = {"guid": guid, "fence": _FENCE, "silent": settings.CP_SILENT_SECONDS}
    return next(iter(statements.fetch_records("outlook", values, Outlook)), None)


class Reason(NamedTuple):
    """A sentence on why a message is where it is, and the newer message that it is about, if any."""

    sentence: str
    newer: str | None = None


def reasons_for(message: Described, outlook: Outlook, *, now: datetime) -> list[Reason]:
    """Return why a message is where it is and what comes next; the first reason decides."""
    if message.state is State.RESERVED:
        return list(_explain_reserved(message, outlook, now))
    return list(_explain_free(message, outlook, now))


def _explain_reserved(message: Described, outlook: Outlook, now: datetime) -> Iterator[Reason]:
    since = f" for {format_duration(now - message.reserved_at)}" if message.reserved_at else ""
    yield Reason(
        f"{message.lock_service} holds it{since}. The reservation ends only with a dispatch or a reset.",
    )
    if outlook.holder_polled_at is None:
        yield Reason("This service has never polled here: it works outside the console or is gone.")
    elif outlook.is_holder_silent:
        silence = format_duration(now - outlook.holder_polled_at)
        yield Reason(
            f"This service has not polled for {silence}: it is probably dead or busy with a long task."
        )
    else:
        polled = format_duration(now - outlook.holder_polled_at)
        yield Reason(
            f"This service polled {polled} ago, so it is alive: after a reset two services work on this "
            "object."
        )
    if not message.reserved_at:
        yield Reason("The start time is unknown, because it was reserved outside the console.")


def _explain_free(message: Described, outlook: Outlook, now: datetime) -> Iterator[Reason]:
    if outlook.paused_at:
        yield Reason(f"The queue has been paused since {format_moment(outlook.paused_at)}.")
    if message.state is State.PARKED:
        yield Reason(
            f"It was tried {count_of(message.attempts, 'time')} and is parked: it becomes available when "
            "an operator sends it on, or is coalesced into a newer message of its object."
        )
    elif message.not_before and message.not_before > now:
        wait = format_duration(message.not_before - now)
        yield Reason(
            f"It was tried {count_of(message.attempts, 'time')} and waits {wait} before the next attempt."
        )
    elif message.state is State.DEFERRED:
        yield Reason(
            f"It was tried {count_of(message.attempts, 'time')} and is due again: it can be picked up."
        )
    if not outlook.pollers:
        yield Reason("No service has polled this queue recently.")
    if outlook.is_from_future:
        yield Reason("Its creation time is in the future. Until then it is ahead of all others.")
    yield from _explain_order(message, outlook)


def _explain_order(message: Described, outlook: Outlook) -> Iterator[Reason]:
    if outlook.replaced_by:
        yield Reason(
            "A newer message of its object is also free, and its pickup deletes this one:",
            outlook.replaced_by,
        )
    elif message.state is State.FREE and outlook.newer:
        more = outlook.newer >= _FENCE
        newer = count_of(outlook.newer, "newer message", more=more)
        yield Reason(f"The newest goes first: {newer} in its queue before this one.")
    elif message.state is State.FREE:
        yield Reason("It is the newest in its queue and goes next.")


def queue_of(guid: str) -> str | None:
    """
    Return the queue of a message, also after its dispatch; None if it is unknown.

    Raises:
        InvalidParameter: the GUID is invalid.
    """
    stored_guid = known_guid(guid)
    if stored_guid is None:
        return None
    for rows in (
        CpMessage.objects.filter(pk=stored_guid),
        CpDispatch.objects.filter(messageguid=stored_guid),
    ):
        for queue in rows.values_list("queuename", flat=True)[:1]:
            return queue
    return None


def queues_of(guids: Collection[str]) -> dict[str, str | None]:
    """Return the queue of each message, also after its dispatch; None if it is unknown or not a GUID."""
    queues: dict[str, str | None] = dict(
        CpMessage.objects.filter(pk__in=guids).values_list("messageguid", "queuename")
    )
    for guid in set(guids) - queues.keys():
        with suppress(InvalidParameter):
            queues[guid] = queue_of(guid)
    return {guid: queues.get(guid) for guid in guids}


def queues_held_by(service: str) -> list[str]:
    """Return the queues whose messages a service holds. Raises InvalidParameter: the name is invalid."""
    held = CpMessage.objects.filter(lock_service=parameters.stored_service_name(service))
    return list(held.order_by("queuename").values_list("queuename", flat=True).distinct())


def queues_of_object(object_id: int, *, within: frozenset[str]) -> list[str]:
    """Return which of some queues have messages of an object."""
    messages = CpMessage.objects.filter(osid=object_id, queuename__in=within)
    return list(messages.order_by("queuename").values_list("queuename", flat=True).distinct())
