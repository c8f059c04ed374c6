"""
What the room's services refuse, as answers; and what the room's POSTs share.

Source: docs/spec/interfaces.md, "CP queue".
"""

from collections.abc import Callable, Iterable

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.api import ActionView
from messages_app.core.api_schema import IDEMPOTENCY, answers
from messages_app.core.problems import Problem, bad_field, not_found, problems_for
from messages_app.cp_queue import parameters, selectors, services

SUCCESS = {"return_code": 0}


def _conflict(error: services.MessageConflict) -> Problem:
    extra = {"current_state": error.current_state, "refusal": error.code}
    return Problem(409, "state_conflict", str(error), extra=extra)


as_problems = problems_for(
    {
        services.InvalidParameter: lambda error: bad_field(error.field, error.code, str(error)),
        services.MessageNotFound: lambda error: not_found(str(error)),
        services.TokenLost: lambda error: Problem(409, "lease_lost", str(error)),
        services.MessageConflict: _conflict,
    }
)


def body_of(serializer: type[BaseSerializer], request: Request) -> dict[str, object]:
    """Return what a POST says, checked. Raises ValidationError: 400 with the fields at fault."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body.validated_data


def described(
    request: type[BaseSerializer],
    responses: dict[int, type[BaseSerializer]],
    problems: tuple[int, ...],
    *,
    description: str,
) -> Callable[[type], type]:
    """Describe a view's POST; the view `takes` what it says."""
    (status, response), *others = responses.items()
    schema = extend_schema(
        description=description,
        request=request,
        parameters=[IDEMPOTENCY],
        responses={**answers(status, response, problems), **dict(others)},
    )

    def describe(view: type) -> type:
        view.takes = request
        return extend_schema_view(post=schema)(view)

    return describe


# What queues a call of this room touches: asked where a token has its right for some queues alone.
#
# Queues that the caller names are told back. Those of a message or a service are looked up, and one outside
# is not told: an id of another queue is answered as one that no one knows.
#
# Source: docs/spec/promises.md, S-56.


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
        return _told([selectors.queue_of(body["MessageGUID"])], reach)


class OneServiceView(QueueView):
    """A call about all that a service holds."""

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str | None]:
        return _told(selectors.queues_held_by(body["ServiceName"]), reach)


class OneQueueView(QueueView):
    """A call about a queue that it names; without the name, about all of them."""

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str | None]:
        if "QueueName" not in body:
            return [None]
        return parameters.queue_names([body["QueueName"]], field="QueueName")


def _told(queues: Iterable[str | None], reach: frozenset[str]) -> list[str | None]:
    return [queue if queue in reach else None for queue in queues]
