"""Declared calls of the API: the body and answer of a POST, and the errors of its service."""

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
from messages_app.core.api_schema import IDEMPOTENCY, describe_answers

Body = TypeVar("Body", bound=Mapping[str, object])


# The serializers that validate all bodies of a kind. Validation keeps nothing in them. A serializer for each
# request would copy all its fields, which takes longer than the validation.
_validators: dict[type[BaseSerializer[Any]], BaseSerializer[Any]] = {}


def validate_body(takes: type[BaseSerializer[Any]], request: Request) -> Any:
    """Validate and return the body of a request. Raises ValidationError: 400 with the fields at fault."""
    return validate_value(takes, request.data)


def validate_value(takes: type[BaseSerializer[Any]], data: object) -> Any:
    """Validate and return a body or a part of it. Raises ValidationError."""
    if takes not in _validators:
        _validators[takes] = takes()
    return _validators[takes].run_validation(data)


class TakesBody(Generic[Body]):
    """
    A view whose POST has a body.

    Attributes:
        takes: the serializer that validates the body. `Body` is the type of the validated record.
        gives: the serializer of the answer.
    """

    takes: type[BaseSerializer[Any]]
    gives: type[BaseSerializer[Any]]

    def body(self, request: Request) -> Body:
        """Validate and return the body of a request. Raises ValidationError: 400 with the fields at fault."""
        return cast(Body, validate_body(self.takes, request))


class ServiceCallView(TakesBody[Body], ActionView):
    """
    A POST that a service answers. `describe_post` declares it; a subclass implements `call`.

    Attributes:
        as_problems: the context manager that converts errors of the service to problems.
    """

    as_problems: Callable[[], AbstractContextManager[None]]

    def act(self, request: Request, *args: Any, **names: Any) -> Answer:
        body = self.body(request)
        with self.as_problems():
            return self.call(body, actor_of(request), *args, **names)

    # `call` gets the variable parts of the address. Each view names its own.
    def call(self, body: Body, actor: Actor, *args: Any, **names: Any) -> Answer:
        """Do the work of the call, and return the answer."""
        raise NotImplementedError


V = TypeVar("V", bound=type[TakesBody[Any]])


def describe_post(
    takes: type[BaseSerializer[Any]],
    responses: Mapping[int, type[BaseSerializer[Any]]],
    problems: tuple[int, ...],
    *,
    description: str,
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Callable[[V], V]:
    """
    Declare the body and answers of a view's POST, both for the API description and for the view itself.

    Args:
        responses: the serializer of each successful answer, by status, the usual one first.
        problems: the statuses of possible errors.
    """
    (status, response), *others = responses.items()
    schema = extend_schema(
        description=description,
        request=takes,
        parameters=[IDEMPOTENCY, *parameters],
        responses={**describe_answers(status, response, problems), **dict(others)},
    )

    def describe(view: V) -> V:
        view.takes, view.gives = takes, response
        described_view: V = extend_schema_view(post=schema)(view)
        return described_view

    return describe
