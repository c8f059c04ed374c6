"""
Base views of the document history's POSTs: refusals of services as problems, and signed tokens.

An Idempotency-Key keeps an answer without the signature of its token, and signs it again for a repeat.
"""

from typing import Any, TypeVar

from django.http import HttpResponse
from rest_framework.request import Request

from messages_app.access.calls import Body, ServiceCallView
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.error_handlers import problem_of
from messages_app.core.problems import Problem, bad_field, not_found, problems_for
from messages_app.document_history import services
from messages_app.document_history.api.serializers import TriggerBody
from messages_app.document_history.tokens import sign_token, strip_signature

_AGAIN = {"Retry-After": "5"}
OfTrigger = TypeVar("OfTrigger", bound=TriggerBody)


def _unavailable(text: str) -> Problem:
    return Problem(503, "history_unavailable", text, headers=_AGAIN)


class _Suspended(Problem):
    def __init__(self, error: services.TriggerSuspended) -> None:
        super().__init__(503, "trigger_suspended", str(error), headers=_AGAIN)
        self.error = error


def _conflict(error: services.DocumentConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


# Without a verdict the answer is a 503, which no client mistakes for New.
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


class DocumentActionView(ServiceCallView[Body]):
    """A POST of the document history. A subclass writes `done`."""

    as_problems = staticmethod(as_problems)

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return super().post(request, **kwargs)
        except _Suspended as problem:
            # With an Idempotency-Key the suspension was rolled back with the rest of this request.
            error = problem.error
            services.suspend_trigger(trigger_id=error.trigger_id, because=error.because)
            raise

    def call(self, body: Body, actor: Actor, *args: Any, **names: Any) -> Answer:
        found = self.perform(body, actor, *args, **names)
        # `data` of a serializer would be empty for None, which some answers contain.
        return Answer(200, self.gives().to_representation(found))

    # The further arguments are the parts of the address.
    def perform(self, body: Body, actor: Actor, *args: Any, **names: Any) -> object:
        """Perform the request of the body, and return the value for the serializer `gives`."""
        raise NotImplementedError

    def stored_body(self, body: dict[str, object]) -> dict[str, object]:
        token = body.get("token")
        return body | {"token": strip_signature(token)} if isinstance(token, str) and token else body

    def restore_body(self, body: dict[str, object], request: Request) -> dict[str, object]:
        token = body.get("token")
        if not isinstance(token, str) or not token:
            return body
        in_doubt = body.get("in_doubt")
        trigger_id = (in_doubt if isinstance(in_doubt, dict) else request.data)["trigger_id"]
        return body | {"token": sign_token(token, trigger_id, str(body["uuid"]))}

    # The library's types include only its own answers, as in access/api.py.
    def handle_exception(self, error: Exception) -> HttpResponse:  # type: ignore[override]
        """
        Answer an unavailable database like an unavailable history, because callers are looked up in it too.
        """
        problem = problem_of(error)
        if problem is not None and problem.code == "database_unavailable":
            error = _unavailable(
                "The document history is unavailable. Do not process the document; check again."
            )
        return super().handle_exception(error)


class OneTriggerView(DocumentActionView[OfTrigger]):
    """
    A POST that names its trigger; a token may be confined to some triggers.

    Source: docs/spec/promises.md, S-56.
    """

    def affected_names(self, request: Request, reach: frozenset[str]) -> list[str]:
        return [self.body(request)["trigger_id"]]
