"""
Base views of the document history's POSTs: refusals of services as problems, and sign_token tokens.

An Idempotency-Key keeps an answer without the signature of its token, and signs it again for a repeat.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.http import HttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.calls import Body, ServiceCallView, validate_body
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.error_handlers import field_errors, problem_of
from messages_app.core.problems import (
    Problem,
    bad_field,
    bad_input,
    not_found,
    problem_body,
    problems_for,
    request_id_of,
)
from messages_app.document_history import services
from messages_app.document_history.api.serializers import DocumentsBody, DocumentsSerializer, TriggerBody
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
        return _strip_tokens(body)

    def restore_body(self, body: dict[str, object], request: Request) -> dict[str, object]:
        in_doubt = body.get("in_doubt")
        return _sign_tokens(body, in_doubt if isinstance(in_doubt, dict) else request.data)

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


def _strip_tokens(body: dict[str, object]) -> dict[str, object]:
    token = body.get("token")
    return body | {"token": strip_signature(token)} if isinstance(token, str) and token else body


def _sign_tokens(body: dict[str, object], document: Mapping[str, object]) -> dict[str, object]:
    """Return an answer with its token sign_token again, for the trigger of this document."""
    token = body.get("token")
    if not isinstance(token, str) or not token:
        return body
    return body | {"token": sign_token(token, str(document["trigger_id"]), str(body["uuid"]))}


class OneTriggerView(DocumentActionView[OfTrigger]):
    """
    A POST that names its trigger; a token may be confined to some triggers.

    Source: docs/contributing/spec/promises.md, S-56.
    """

    def affected_names(self, request: Request, reach: frozenset[str]) -> list[str]:
        return [self.body(request)["trigger_id"]]


class ManyView(DocumentActionView[DocumentsBody]):
    """
    A POST with many documents. Each has its own entry in `results`: its answer or its problem.

    Attributes:
        one, answer: the serializers of a document and of its answer. A subclass also writes `answers_of`.
    """

    one: type[BaseSerializer[Any]]
    answer: type[BaseSerializer[Any]]

    def body(self, request: Request) -> DocumentsBody:
        """Return the body with its documents as they were sent: each is validated on its own."""
        body: DocumentsBody = validate_body(DocumentsSerializer, request)
        return body

    def affected_names(self, request: Request, reach: frozenset[str]) -> list[str]:
        documents = self.body(request)["documents"]
        triggers = [one.get("trigger_id") for one in documents if isinstance(one, dict)]
        # Any other value is refused as the document's own bad input.
        return [trigger_id for trigger_id in triggers if isinstance(trigger_id, str)]

    def answers_of(self, documents: Sequence[Any]) -> Sequence[object]:
        """Return the answer of the service, or its error, for each valid document."""
        raise NotImplementedError

    def call(self, body: DocumentsBody, actor: Actor, *args: Any, **names: Any) -> Answer:
        results: dict[int, Mapping[str, object]] = {}
        documents: dict[int, object] = {}
        # One object for all: making a serializer takes longer than using it.
        one = self.one()
        for place, document in enumerate(body["documents"]):
            try:
                documents[place] = _validate_document(one, document)
            except ValidationError as error:
                results[place] = self._problem_entry(bad_input(field_errors(error)))
        answer = self.answer()
        answers = self.answers_of(list(documents.values())) if documents else []
        for place, found in zip(documents, answers, strict=True):
            try:
                with self.as_problems():
                    if isinstance(found, Exception):
                        raise found
                    results[place] = answer.to_representation(found)
            except Problem as problem:
                results[place] = self._problem_entry(problem)
        return Answer(200, {"results": [results[place] for place in range(len(body["documents"]))]})

    def _problem_entry(self, problem: Problem) -> Mapping[str, object]:
        return {**problem_body(problem, request_id=request_id_of(self.request._request))}

    def stored_body(self, body: dict[str, Any]) -> dict[str, object]:
        return {"results": [_strip_tokens(one) for one in body["results"]]}

    def restore_body(self, body: dict[str, Any], request: Request) -> dict[str, object]:
        pairs = zip(body["results"], request.data["documents"], strict=True)
        return {"results": [_sign_tokens(one, document) for one, document in pairs]}


def _validate_document(serializer: BaseSerializer[Any], document: object) -> object:
    if not isinstance(document, dict):
        raise ValidationError({"documents": ["each must be a JSON object."]})
    return serializer.run_validation(document)
