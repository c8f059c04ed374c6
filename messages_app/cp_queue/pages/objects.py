"""All messages of one object over all queues, and what the next pickups do with them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.cp_queue import queries
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.queries import ObjectMessage
from messages_app.cp_queue.states import CONTRADICTING, MAX_INT, QUEUES, State
from messages_app.web.ids import read_id

_SECTION = "cp-objects"
_MOST = 500


@dataclass(frozen=True, kw_only=True)
class InQueue:
    """
    What one queue has of an object, the newest first.

    Args:
        overlaps: services hold two, or one while others are free: two may work at the object at once.
    """

    queue: str
    is_known: bool
    messages: list[ObjectMessage]

    @property
    def overlaps(self) -> bool:
        return any(message.overlaps for message in self.messages)

    @property
    def holders(self) -> list[str]:
        return [message.service for message in self.messages if message.state is State.RESERVED]

    @property
    def collapsible(self) -> int:
        return sum(message.is_collapsible for message in self.messages)


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def find_object(request: HttpRequest) -> HttpResponse:
    """Ask for an object's id, and lead to its page."""
    text = request.GET.get("osid", "").strip()
    if not text:
        return frame.page(request, "objects", {"error": "", "osid": ""}, section=_SECTION)
    number = read_id(text)
    if number is None or number > MAX_INT:
        context = {"error": f"An object's id is a number up to {MAX_INT}.", "osid": text[:100]}
        return frame.page(request, "objects", context, section=_SECTION, status=400)
    return redirect("cp-object", number)


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def object_page(request: HttpRequest, osid: int) -> HttpResponse:
    messages = queries.object_messages(object_id=osid) if osid <= MAX_INT else []
    context = {
        "osid": osid,
        "queues": list(_by_queue(messages)),
        "contradicts": {message.queue for message in messages} >= CONTRADICTING,
        "is_cut": len(messages) >= _MOST,
        "log": queries.dispatch_page(values={"osid": min(osid, MAX_INT)}, page_size=25).rows,
    }
    return frame.page(request, "object", context, section=_SECTION)


def _by_queue(messages: Iterable[ObjectMessage]) -> Iterator[InQueue]:
    for queue, found in groupby(messages, key=attrgetter("queue")):
        yield InQueue(queue=queue, is_known=queue in QUEUES, messages=list(found))
