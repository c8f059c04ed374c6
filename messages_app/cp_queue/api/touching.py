"""
What queues a call of this room touches: asked where a token has its right for some queues alone.

Queues that the caller names are told back. Those of a message or a service are looked up, and one outside is
not told: an id of another queue is answered as one that nobody knows. Source: reliability S-56.
"""

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.api import ActionView
from messages_app.cp_queue import parameters, queries
from messages_app.cp_queue.api.problems import as_problems, body_of


class QueueView(ActionView):
    """A POST of this room, which says by `queues` what it touches; `described` gives it what it takes."""

    takes: type[BaseSerializer]

    def touched(self, request: Request, reach: frozenset[str]) -> list[str | None]:
        body = body_of(self.takes, request)
        with as_problems():
            return list(self.queues(body, reach))

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> Iterable[str | None]:
        """Return what `touched` does, of a body that was read. Raises InvalidParameter."""
        raise NotImplementedError


class OneMessageView(QueueView):
    """A call about the message of an id; its row or the log says whether it is of a queue of the token."""

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str | None]:
        return _told([queries.queue_of(body["MessageGUID"])], reach)


class OneServiceView(QueueView):
    """A call about all that a service holds."""

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str | None]:
        return _told(queries.queues_held_by(body["ServiceName"]), reach)


class OneQueueView(QueueView):
    """A call about a queue that it names; without the name, about all of them."""

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str | None]:
        if "QueueName" not in body:
            return [None]
        return parameters.queue_names([body["QueueName"]], field="QueueName")


def _told(queues: Iterable[str | None], reach: frozenset[str]) -> list[str | None]:
    return [queue if queue in reach else None for queue in queues]
