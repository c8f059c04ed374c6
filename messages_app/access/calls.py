"""Calls of the API that are declared: what a POST takes and gives, and what a service may refuse."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar, cast

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.actors import actor_of
from messages_app.access.api import ActionView
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import IDEMPOTENCY, answers

Body = TypeVar("Body", bound=Mapping[str, object])


def checked(takes: type[BaseSerializer[Any]], request: Request) -> Any:
    """Return the body of a request. Raises ValidationError: 400 with the fields at fault."""
    body = takes(data=request.data)
    body.is_valid(raise_exception=True)
    return body.validated_data


class TakesBody(Generic[Body]):
    """
    What a view has whose POST has a body.

    Attributes:
        takes: the serializer that checks the body; `Body` is the record that it returns.
        gives: the serializer of the answer.
    """

    takes: type[BaseSerializer[Any]]
    gives: type[BaseSerializer[Any]]

    def body(self, request: Request) -> Body:
        """Return the body of a request. Raises ValidationError: 400 with the fields at fault."""
        return cast(Body, checked(self.takes, request))


class ServiceCallView(TakesBody[Body], ActionView):
    """
    A POST that a service answers. `described` declares it; a subclass writes `call`.

    Attributes:
        as_problems: the context in which refusals of the service become problems.
    """

    as_problems: Callable[[], AbstractContextManager[None]]

    def act(self, request: Request, *args: Any, **names: Any) -> Answer:
        body = self.body(request)
        with self.as_problems():
            return self.call(body, actor_of(request), *args, **names)

    # What an address has beside the request, its view names.
    def call(self, body: Body, actor: Actor, *args: Any, **names: Any) -> Answer:
        """Do what the body asks, and return the answer."""
        raise NotImplementedError


V = TypeVar("V", bound=type[TakesBody[Any]])


def described(
    takes: type[BaseSerializer[Any]],
    responses: Mapping[int, type[BaseSerializer[Any]]],
    problems: tuple[int, ...],
    *,
    description: str,
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Callable[[V], V]:
    """
    Describe a view's POST, and let it take and give what is described.

    Args:
        responses: what it gives, by the status of each success, the usual one first.
        problems: statuses of what it may refuse.
    """
    (status, response), *others = responses.items()
    schema = extend_schema(
        description=description,
        request=takes,
        parameters=[IDEMPOTENCY, *parameters],
        responses={**answers(status, response, problems), **dict(others)},
    )

    def describe(view: V) -> V:
        view.takes, view.gives = takes, response
        described_view: V = extend_schema_view(post=schema)(view)
        return described_view

    return describe
