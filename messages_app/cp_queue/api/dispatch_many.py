"""
The dispatch of several messages in one call. Each has its own result.

Source: docs/contributing/spec/interfaces.md, "CP queue".
"""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from messages_app.access.calls import Action
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.error_handlers import field_errors
from messages_app.core.problems import Problem
from messages_app.core.representation import validate_value
from messages_app.cp_queue.api.service_calls import CpResultSerializer
from messages_app.cp_queue.api.vendor import AnswerSerializer, BodySerializer, as_problems, text_field
from messages_app.cp_queue.registration import CAN_PULL_CP_MESSAGES
from messages_app.cp_queue.selectors.pickup_forecast import queues_of
from messages_app.cp_queue.services.dispatch import MAX_IN_BATCH, Dispatched, Refusal, Result, dispatch_many

_ACTION = "dispatch_cp_message"


@extend_schema_field(CpResultSerializer(many=True))
class _ResultsField(serializers.ListField):
    """Entries that are checked one by one later, because an invalid one must not prevent the others."""


class CpDispatchManySerializer(BodySerializer):
    ServiceName = text_field(source="service")
    messages = _ResultsField(
        min_length=1, max_length=MAX_IN_BATCH, help_text=f"1 to {MAX_IN_BATCH}; each has its own result."
    )


class CpResultOfBatchSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(
        allow_blank=True, help_text="As it was sent; empty if it is missing or not a text."
    )
    status = serializers.IntegerField(help_text="200: dispatched; otherwise that of `dispatch/`.")
    code = serializers.CharField(required=False, help_text="The cause of a refusal, as a word for programs.")
    detail = serializers.CharField(required=False, help_text="The cause of a refusal, as a sentence.")


class CpDispatchedManySerializer(AnswerSerializer):
    results = CpResultOfBatchSerializer(
        source="*", many=True, help_text="In the order of the messages of the call."
    )


# The answer of a message of a batch.
_Answer = dict[str, object]


def dispatch_messages(
    *, service: str, messages: list[object], actor: Actor, reach: frozenset[str] | None
) -> list[object]:
    """Dispatch the valid messages, and return the answer of each message."""
    entries = [_read_entry(message) for message in messages]
    if reach is not None:
        _refuse_other_queues(entries, actor, reach)
    valid = {place: entry for place, entry in enumerate(entries) if isinstance(entry, Result)}
    results = list(valid.values())
    outcomes = dispatch_many(service=service, results=results)
    answers = dict(zip(valid, map(_describe_outcome, results, outcomes), strict=True))
    return [answers.get(place, entry) for place, entry in enumerate(entries)]


def permitted_queues(*, messages: list[object], reach: frozenset[str]) -> list[str | None]:
    """Return the permitted queues of the messages; if there are any, the call refuses the other messages."""
    guids = [entry.guid for entry in map(_read_entry, messages) if isinstance(entry, Result)]
    return [queue for queue in queues_of(guids).values() if queue in reach] or [None]


def _refuse_other_queues(entries: list[Result | _Answer], actor: Actor, reach: frozenset[str]) -> None:
    """Replace messages outside the queues of the token by their refusals, and record these."""
    queues = queues_of([entry.guid for entry in entries if isinstance(entry, Result)])
    refused: list[str] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, Result) and queues[entry.guid] not in reach:
            text = "This token may not dispatch messages of other queues, or of unknown ones."
            entries[place] = _refuse_item(entry.guid, 403, "permission_denied", text)
            refused.append(entry.guid)
    if refused:
        audit.record_entry(
            actor=actor,
            action=_ACTION,
            outcome=AuditEntry.Outcome.REFUSED,
            details={"refusal": "permission_denied", "messages": refused},
        )


def _refuse_item(guid: str, status: int, code: str, detail: str) -> _Answer:
    return {"MessageGUID": guid, "status": status, "code": code, "detail": detail}


def _read_entry(message: object) -> Result | _Answer:
    """Return a message of a batch, or the refusal of an invalid one."""
    guid = message.get("MessageGUID") if isinstance(message, dict) else None
    shown_guid = guid if isinstance(guid, str) else ""
    if not isinstance(message, dict):
        return _refuse_item(shown_guid, 400, "invalid_value", "A message must be an object.")
    try:
        return Result(**validate_value(CpResultSerializer, message))
    except ValidationError as error:
        (fault, *_) = field_errors(error)
        return _refuse_item(shown_guid, 400, fault.code, fault.message)


def _describe_outcome(result: Result, outcome: Dispatched | Refusal) -> _Answer:
    """Return the answer of one message."""
    if isinstance(outcome, Dispatched):
        return {"MessageGUID": result.guid, "status": 200}
    try:
        with as_problems():
            raise outcome
    except Problem as problem:
        code = problem.errors[0].code if problem.errors else problem.code
        return _refuse_item(result.guid, problem.status, code, problem.detail)


CALLS = [
    Action(
        "dispatch-many/",
        dispatch_messages,
        right=CAN_PULL_CP_MESSAGES,
        audited_as=_ACTION,
        body=CpDispatchManySerializer,
        answer=CpDispatchedManySerializer,
        affects=permitted_queues,
        errors=as_problems,
        description=(
            "Dispatch up to 100 messages. Each has its own result: its `status` is the one that dispatch"
            " would answer, and a refused one does not prevent the others. The accepted ones are committed"
            " together."
        ),
    )
]
