"""What the room's services refuse, as answers; and what the room's POSTs share."""

from collections.abc import Callable

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.actors import actor_of
from messages_app.access.api import ActionView
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING_ON_ONE, IDEMPOTENCY, answers
from messages_app.core.error_handlers import problem_of
from messages_app.core.problems import Problem, bad_field, not_found, problems_for
from messages_app.document_history import services
from messages_app.document_history.tokens import signed, unsigned

_AGAIN = {"Retry-After": "5"}


def _unavailable(text: str) -> Problem:
    return Problem(503, "history_unavailable", text, headers=_AGAIN)


class _Suspended(Problem):
    def __init__(self, error: services.TriggerSuspended) -> None:
        super().__init__(503, "trigger_suspended", str(error), headers=_AGAIN)
        self.error = error


def _conflict(error: services.DocumentConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


# Without a verdict the answer is a 503, which no client takes for New.
as_problems = problems_for(
    {
        services.HistoryUnavailable: lambda error: _unavailable(str(error)),
        services.TriggerSuspended: _Suspended,
        services.InvalidTrigger: lambda error: bad_field(error.field, error.code, str(error)),
        services.TriggerNotFound: lambda error: not_found(str(error)),
        services.DocumentNotFound: lambda error: not_found(str(error)),
        services.InDoubtNotFound: lambda error: not_found(str(error)),
        services.ContentConflict: lambda error: Problem(409, "content_conflict", str(error)),
        services.LeaseLost: lambda error: Problem(409, "lease_lost", str(error)),
        services.DocumentConflict: _conflict,
    }
)


class DocumentActionView(ActionView):
    """
    A POST of this room. A subclass writes `done`; `described` says what it takes and gives.

    Attributes:
        takes, gives: the serializers of the body and of the answer.
    """

    takes: type[BaseSerializer]
    gives: type[BaseSerializer]

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return super().post(request, **kwargs)
        except _Suspended as problem:
            # With an Idempotency-Key the suspension was undone with the rest of what this request did.
            error = problem.error
            services.suspend_trigger(trigger_id=error.trigger_id, because=error.because)
            raise

    def act(self, request: Request, **kwargs: str) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            found = self.done(body, actor_of(request), **kwargs)
        # Not by `data`, for which None is nothing to show.
        return Answer(200, self.gives().to_representation(found))

    def kept(self, body: dict[str, object]) -> dict[str, object]:
        token = body.get("token")
        return body | {"token": unsigned(token)} if token else body

    def restored(self, body: dict[str, object], request: Request) -> dict[str, object]:
        token = body.get("token")
        if not token:
            return body
        trigger_id = (body.get("in_doubt") or request.data)["trigger_id"]
        return body | {"token": signed(token, trigger_id, body["uuid"])}

    def done(self, body: BaseSerializer, actor: Actor, **kwargs: str) -> object:
        """Do what is asked, and return what `gives` shows."""
        raise NotImplementedError

    def handle_exception(self, error: Exception) -> HttpResponse:
        """Answer a database that is away as a history that is: the caller is looked up there too."""
        problem = problem_of(error)
        if problem is not None and problem.code == "database_unavailable":
            error = _unavailable(
                "The document history is unavailable. Do not process the document; check again."
            )
        return super().handle_exception(error)


class OneTriggerView(DocumentActionView):
    """
    A POST that names its trigger; a token may have the right for some alone.

    Source: docs/spec/promises.md, S-56.
    """

    def touched(self, request: Request, reach: frozenset[str]) -> list[str]:
        return [body_of(self.takes, request).validated_data["trigger_id"]]


def body_of(serializer: type[BaseSerializer], request: Request) -> BaseSerializer:
    """Return what a POST says, checked. Raises ValidationError: 400 with the fields at fault."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body


def described(
    takes: type[BaseSerializer],
    gives: type[BaseSerializer],
    *,
    description: str,
    problems: tuple[int, ...] = ACTING_ON_ONE,
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Callable[[type[DocumentActionView]], type[DocumentActionView]]:
    """Describe a view's POST: what it takes, what it gives, and what it may refuse."""
    schema = extend_schema(
        description=description,
        request=takes,
        parameters=[IDEMPOTENCY, *parameters],
        responses=answers(200, gives, problems),
    )

    def describe(view: type[DocumentActionView]) -> type[DocumentActionView]:
        view.takes, view.gives = takes, gives
        return extend_schema_view(post=schema)(view)

    return describe
