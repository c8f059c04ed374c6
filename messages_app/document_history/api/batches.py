"""
Many documents in one call. Each has its own entry in `results`: its answer or its problem.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from messages_app.access.calls import Action, Serializer
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import ProblemSerializer
from messages_app.core.error_handlers import field_errors
from messages_app.core.problems import Problem, bad_input, problem_body, request_id_of
from messages_app.core.representation import represent_value, validate_value
from messages_app.core.serializers import StrictSerializer
from messages_app.document_history.api.checks import (
    CheckedSerializer,
    CheckSerializer,
    CompletedSerializer,
    CompleteSerializer,
)
from messages_app.document_history.api.errors import DocumentView, as_problems
from messages_app.document_history.registration import CAN_CHECK_DOCUMENTS
from messages_app.document_history.services.check import check_many
from messages_app.document_history.services.complete import complete_many
from messages_app.document_history.services.delivery import Delivered

MAX_DOCUMENTS = 500


class DocumentsSerializer(StrictSerializer):
    """The documents of one call as they were sent."""

    documents = serializers.ListField(allow_empty=False, max_length=MAX_DOCUMENTS)


class _ManySerializer(StrictSerializer):
    # Each document is validated on its own later, because an invalid one must not prevent the others.
    def run_validation(self, data: object = serializers.empty) -> Any:
        return validate_value(DocumentsSerializer, data)


class CheckManySerializer(_ManySerializer):
    documents = serializers.ListField(child=CheckSerializer(), allow_empty=False, max_length=MAX_DOCUMENTS)


class CompleteManySerializer(_ManySerializer):
    documents = serializers.ListField(child=CompleteSerializer(), allow_empty=False, max_length=MAX_DOCUMENTS)


def _answer_or_problem(name: str, answer: type[serializers.Serializer]) -> PolymorphicProxySerializer:
    return PolymorphicProxySerializer(
        component_name=name, serializers=[answer, ProblemSerializer], resource_type_field_name=None, many=True
    )


class CheckedManySerializer(serializers.Serializer):
    results = serializers.SerializerMethodField(help_text="One for each document, in the same order.")

    @extend_schema_field(_answer_or_problem("CheckedOrProblem", CheckedSerializer))
    def get_results(self, _: object) -> None:
        """Describe the answer only: the view builds it."""


class CompletedManySerializer(serializers.Serializer):
    results = serializers.SerializerMethodField(help_text="One for each document, in the same order.")

    @extend_schema_field(_answer_or_problem("CompletedOrProblem", CompletedSerializer))
    def get_results(self, _: object) -> None:
        """Describe the answer only: the view builds it."""


def check_documents(*, documents: list[object], request: Request) -> Answer:
    def check_valid(valid: Sequence[Any]) -> Sequence[object]:
        return check_many([Delivered(**document) for document in valid])

    return _answer_each(documents, request, CheckSerializer, CheckedSerializer, check_valid)


def complete_documents(*, documents: list[object], request: Request) -> Answer:
    return _answer_each(documents, request, CompleteSerializer, CompletedSerializer, complete_many)


def _answer_each(
    documents: list[object],
    request: Request,
    body: Serializer,
    answer: Serializer,
    act: Callable[[Sequence[Any]], Sequence[object]],
) -> Answer:
    """
    Answer with the result of each document.

    Args:
        body, answer: the serializers of a document and of its answer.
        act: returns the answer of the service, or its error, for each valid document.
    """
    results: dict[int, Mapping[str, object]] = {}
    valid: dict[int, object] = {}
    for place, document in enumerate(documents):
        try:
            valid[place] = _validate_document(body, document)
        except ValidationError as error:
            results[place] = _describe_problem(bad_input(field_errors(error)), request)
    outcomes = act(list(valid.values())) if valid else []
    for place, outcome in zip(valid, outcomes, strict=True):
        try:
            with as_problems():
                if isinstance(outcome, Exception):
                    raise outcome
                results[place] = represent_value(answer, outcome)
        except Problem as problem:
            results[place] = _describe_problem(problem, request)
    return Answer(200, {"results": [results[place] for place in range(len(documents))]})


def _describe_problem(problem: Problem, request: Request) -> Mapping[str, object]:
    return {**problem_body(problem, request_id=request_id_of(request._request))}


def _validate_document(serializer: Serializer, document: object) -> object:
    if not isinstance(document, dict):
        raise ValidationError({"documents": ["each must be a JSON object."]})
    return validate_value(serializer, document)


def affected_triggers(*, documents: list[object]) -> list[str]:
    triggers = [one.get("trigger_id") for one in documents if isinstance(one, dict)]
    # Any other value is refused as the document's own bad input.
    return [trigger_id for trigger_id in triggers if isinstance(trigger_id, str)]


_call = partial(
    Action, view=DocumentView, right=CAN_CHECK_DOCUMENTS, errors=as_problems, affects=affected_triggers
)

CALLS = [
    _call(
        "check-many/",
        check_documents,
        audited_as="check_document",
        body=CheckManySerializer,
        answer=CheckedManySerializer,
        description=(
            f"Check up to {MAX_DOCUMENTS} deliveries, as calls of `check/` one after the other would."
            " Each document has its own entry of `results`: the answer of `check/`, or a problem"
            " with the `status` and `code` that `check/` would have returned. If the whole call"
            " is answered with a 503, no document was checked. With an Idempotency-Key, a repeat returns the"
            " same results, also the problems."
        ),
    ),
    _call(
        "complete-many/",
        complete_documents,
        audited_as="complete_document",
        body=CompleteManySerializer,
        answer=CompletedManySerializer,
        description=(
            f"Complete up to {MAX_DOCUMENTS} documents, as calls of `complete/` one after the other"
            " would. Each document has its own entry of `results`: the answer of `complete/`, or a"
            " problem with the `status` and `code` that `complete/` would have returned."
        ),
    ),
]
