"""
Shared parts of the calls of the document history: refusals as problems, fields, and signed tokens.

An Idempotency-Key keeps an answer without the signature of its token, and signs it again for a repeat.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from messages_app.access.calls import CallView
from messages_app.core.error_handlers import problem_of
from messages_app.core.problems import Problem, not_found, problems_for
from messages_app.core.serializers import ReasonField, StrictCharField, StrictSerializer
from messages_app.document_history.models import MAX_TRIGGER_ID
from messages_app.document_history.services import errors
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.document_history.tokens import sign_token, strip_signature

_AGAIN = {"Retry-After": "5"}


def list_choices(values: Iterable[str]) -> list[str]:
    return [str(value) for value in values]


def trigger_id_field() -> StrictCharField:
    return StrictCharField(max_length=MAX_TRIGGER_ID, trim_whitespace=False)


class ReasonSerializer(StrictSerializer):
    reason = ReasonField()


def affected_trigger(*, trigger_id: str) -> list[str]:
    """Return the trigger that a call names; a token may be confined to some triggers."""
    return [trigger_id]


def _make_unavailable(text: str) -> Problem:
    return Problem(503, "history_unavailable", text, headers=_AGAIN)


class _Suspended(Problem):
    def __init__(self, error: errors.TriggerSuspended) -> None:
        super().__init__(503, "trigger_suspended", str(error), headers=_AGAIN)
        self.error = error


def _describe_conflict(error: errors.DocumentConflict) -> Problem:
    return Problem(409, "state_conflict", str(error), extra={"current_state": error.current_state})


# Without a verdict the answer is a 503, which no client mistakes for New.
as_problems = problems_for(
    {
        errors.HistoryUnavailable: lambda error: _make_unavailable(str(error)),
        errors.TriggerSuspended: _Suspended,
        errors.InvalidTrigger: errors.InvalidTrigger.as_problem,
        errors.TriggerNotFound: lambda error: not_found(str(error)),
        errors.DocumentNotFound: lambda error: not_found(str(error)),
        errors.InDoubtNotFound: lambda error: not_found(str(error)),
        errors.ContentConflict: lambda error: Problem(409, "content_conflict", str(error)),
        errors.LeaseLost: lambda error: Problem(409, "lease_lost", str(error)),
        errors.DocumentConflict: _describe_conflict,
    }
)


class DocumentView(CallView):
    """The view of calls about documents."""

    def answer_call(self, request: Request) -> HttpResponseBase:
        try:
            return super().answer_call(request)
        except _Suspended as problem:
            # With an Idempotency-Key the suspension was rolled back with the rest of this request.
            suspend_trigger(trigger_id=problem.error.trigger_id, because=problem.error.because)
            raise

    def stored_body(self, body: dict[str, Any]) -> dict[str, object]:
        if "results" in body:
            return {"results": [_strip_token(one) for one in body["results"]]}
        return _strip_token(body)

    def restore_body(self, body: dict[str, Any]) -> dict[str, object]:
        if "results" in body:
            pairs = zip(body["results"], self.request.data["documents"], strict=True)
            return {"results": [_sign_token(one, document) for one, document in pairs]}
        in_doubt = body.get("in_doubt")
        return _sign_token(body, in_doubt if isinstance(in_doubt, dict) else self.request.data)

    # The library's types include only its own answers, as in access/api.py.
    def handle_exception(self, error: Exception) -> HttpResponse:  # type: ignore[override]
        """
        Answer an unavailable database like an unavailable history, because callers are looked up in it too.
        """
        problem = problem_of(error)
        if problem is not None and problem.code == "database_unavailable":
            error = _make_unavailable(
                "The document history is unavailable. Do not process the document; check again."
            )
        return super().handle_exception(error)


def _strip_token(body: dict[str, object]) -> dict[str, object]:
    token = body.get("token")
    return body | {"token": strip_signature(token)} if isinstance(token, str) and token else body


def _sign_token(body: dict[str, object], document: Mapping[str, object]) -> dict[str, object]:
    """Return an answer with its token signed again, for the trigger of this document."""
    token = body.get("token")
    if not isinstance(token, str) or not token:
        return body
    return body | {"token": sign_token(token, str(document["trigger_id"]), str(body["uuid"]))}
