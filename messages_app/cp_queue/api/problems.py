"""
Base views of the CP queue's POSTs: refusals of services as problems, and the queues that a call touches.

A token may be confined to some queues. An answer may name a queue that the caller named. The queue of a
message or of a service is looked up, and one outside the token's queues stays hidden: its messages are
answered like unknown ones.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/promises.md, S-56.
"""

from collections.abc import Iterable
from typing import TypeVar

from rest_framework.request import Request

from messages_app.access.calls import Body, ServiceCallView
from messages_app.access.idempotency import Answer
from messages_app.core.problems import Extra, Problem, bad_field, not_found, problems_for
from messages_app.cp_queue import parameters, selectors, services
from messages_app.cp_queue.api.call_serializers import MessageBody, ServiceBody

SUCCESS = {"return_code": 0}
OfMessage = TypeVar("OfMessage", bound=MessageBody)
OfService = TypeVar("OfService", bound=ServiceBody)


def success(status: int = 200, /, **members: object) -> Answer:
    """Return the answer of a call that succeeded."""
    return Answer(status, {**SUCCESS, **members})


def _describe_conflict(error: services.MessageConflict) -> Problem:
    extra: Extra = {"current_state": error.current_state, "refusal": error.code}
    return Problem(409, "state_conflict", str(error), extra=extra)


as_problems = problems_for(
    {
        services.InvalidParameter: lambda error: bad_field(error.field, error.code, str(error)),
        services.MessageNotFound: lambda error: not_found(str(error)),
        services.TokenLost: lambda error: Problem(409, "lease_lost", str(error)),
        services.MessageConflict: _describe_conflict,
    }
)


class QueueView(ServiceCallView[Body]):
    """A POST of the CP queue. A subclass also writes `queues`."""

    as_problems = staticmethod(as_problems)

    def affected_names(self, request: Request, reach: frozenset[str]) -> list[str | None]:
        body = self.body(request)
        with as_problems():
            return list(self.queues(body, reach))

    def queues(self, body: Body, reach: frozenset[str]) -> Iterable[str | None]:
        """Return what `affected_names` returns, for a checked body. Raises InvalidParameter."""
        raise NotImplementedError


class OneMessageView(QueueView[OfMessage]):
    """A call about the message of a GUID; its row or the log names its queue."""

    def queues(self, body: OfMessage, reach: frozenset[str]) -> list[str | None]:
        return _show_invisible([selectors.queue_of(body["MessageGUID"])], reach)


class OneServiceView(QueueView[OfService]):
    """A call about everything that a service holds."""

    def queues(self, body: OfService, reach: frozenset[str]) -> list[str | None]:
        return _show_invisible(selectors.queues_held_by(body["ServiceName"]), reach)


class OneQueueView(QueueView[Body]):
    """A call about the queue that it names; without a name, about all queues."""

    def queues(self, body: Body, reach: frozenset[str]) -> Iterable[str | None]:
        name = body.get("QueueName")
        if not isinstance(name, str):
            return [None]
        return [parameters.stored_queue_name(name)]


def _show_invisible(queues: Iterable[str | None], reach: frozenset[str]) -> list[str | None]:
    return [queue if queue in reach else None for queue in queues]
