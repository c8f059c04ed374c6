"""
Calls of services: create, get next, dispatch, reset; and the dispatch for a dead service.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/cp_queue.md, "Operations".
"""

from collections.abc import Mapping
from typing import TypedDict

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from messages_app.access.calls import describe_post, validate_value
from messages_app.access.idempotency import Answer
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE
from messages_app.core.error_handlers import field_errors
from messages_app.core.problems import Problem
from messages_app.cp_queue import parameters, registration, selectors, services
from messages_app.cp_queue.api import call_serializers as calls
from messages_app.cp_queue.api import serializers as gives
from messages_app.cp_queue.api.problems import (
    OneMessageView,
    OneServiceView,
    QueueView,
    as_problems,
    success,
)
from messages_app.cp_queue.states import FLAGGED_QUEUES


@describe_post(
    calls.CpCreateSerializer,
    {201: gives.CpCreatedSerializer, 200: gives.CpCreatedSerializer},
    ACTING,
    description=(
        "std.CreateCPMessages: create one message for each flag that is true and for each further queue."
        " A second call creates them again; only a pickup coalesces. 200: nothing was requested or created."
    ),
)
class CreateView(QueueView[calls.CreateBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "create_cp_messages"

    def call(self, body: calls.CreateBody, actor: Actor) -> Answer:
        object_id, object_type, queues = body["ObjectID"], body["ObjectType"], _queues_of(body)
        if body["DryRun"]:
            created = services.would_create(object_id=object_id, object_type=object_type, queues=queues)
            return success(created=created)
        created = services.create_messages(
            object_id=object_id,
            object_type=object_type,
            queues=queues,
            # Only people give a reason; programs report changes all the time.
            actor=actor if body["reason"] else None,
            reason=body["reason"],
        )
        return success(201 if created else 200, created=created)

    def made_at(self, request: Request, body: Mapping[str, object]) -> str:
        """Return the address of the object, which lists its messages."""
        return f"cp-queue/objects/{request.data['ObjectID']}/"

    def queues(self, body: calls.CreateBody, reach: frozenset[str]) -> list[str]:
        return parameters.new_queue_names(_queues_of(body))


def _queues_of(body: calls.CreateBody) -> list[str]:
    """Return the queues of the flags, and the named ones."""
    values: Mapping[str, object] = body
    flagged = [queue for flag, queue in FLAGGED_QUEUES.items() if values[flag]]
    return flagged + parameters.split_names(body["QueueNames"])


@describe_post(
    calls.CpGetNextSerializer,
    {200: gives.CpNextSerializer},
    ACTING,
    description=(
        "std.GetNextCPMessage: reserve the newest free message over all the queues, and collapse the"
        " other free ones of its object and queue. The reservation holds until its dispatch or a reset."
        " After an answer that was lost, reset the service."
    ),
)
class GetNextView(QueueView[calls.GetNextBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "get_next_cp_message"

    def call(self, body: calls.GetNextBody, actor: Actor) -> Answer:
        picked = services.get_next(
            queues=body["QueueNames"], service=body["ServiceName"], wants_token=body["WantToken"]
        )
        return success(MessageGUID="") if picked is None else success(**_members_of(picked))

    def queues(self, body: calls.GetNextBody, reach: frozenset[str]) -> list[str]:
        return parameters.queue_names(body["QueueNames"])


def _members_of(picked: services.Picked) -> dict[str, object]:
    """Return a message as the vendor's parameters, with its token if the service asked for it."""
    members: dict[str, object] = {
        "MessageGUID": picked.guid,
        "ObjectID": picked.object_id,
        "ObjectType": picked.object_type,
        "QueueName": picked.queue,
    }
    return members | {"Token": picked.token} if picked.token else members


@describe_post(
    calls.CpGetNextManySerializer,
    {200: gives.CpNextManySerializer},
    ACTING,
    description=(
        "Reserve up to Count of the newest free messages, as get-next does one by one: each collapses the"
        " other free ones of its object and queue. Messages that other services are reserving at this moment"
        " are passed over. Fewer than Count do not mean that the queue is empty."
    ),
)
class GetNextManyView(QueueView[calls.GetNextManyBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "get_next_cp_message"

    def call(self, body: calls.GetNextManyBody, actor: Actor) -> Answer:
        picked = services.get_next_many(
            queues=body["QueueNames"],
            service=body["ServiceName"],
            count=body["Count"],
            wants_token=body["WantToken"],
        )
        return success(messages=[_members_of(one) for one in picked])

    def queues(self, body: calls.GetNextManyBody, reach: frozenset[str]) -> list[str]:
        return parameters.queue_names(body["QueueNames"])


def _dispatch_answer(dispatched: services.Dispatched) -> Answer:
    return success(outcome=dispatched.outcome, attempts=dispatched.attempts, not_before=dispatched.not_before)


@describe_post(
    calls.CpDispatchSerializer,
    {200: gives.CpDispatchedSerializer},
    ACTING_ON_ONE,
    description=(
        "std.DispatchCPMessage: RETRY frees the message, to be handed out later; any other reason removes "
        "it. 409 `state_conflict`: it is not reserved, or another service holds it. 409 `lease_lost`: the "
        "token is not that of its reservation. 404 after a first dispatch is harmless."
    ),
)
class DispatchView(OneMessageView[calls.DispatchBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "dispatch_cp_message"

    def call(self, body: calls.DispatchBody, actor: Actor) -> Answer:
        dispatched = services.dispatch_message(
            guid=body["MessageGUID"],
            service=body["ServiceName"],
            reason=body["Reason"],
            token=body.get("Token"),
        )
        return _dispatch_answer(dispatched)


class _Refused(TypedDict):
    """A refused message of a batch."""

    MessageGUID: str
    status: int
    code: str
    detail: str


@describe_post(
    calls.CpDispatchManySerializer,
    {200: gives.CpDispatchedManySerializer},
    ACTING,
    description=(
        "Dispatch up to 100 messages. Each has its own result: its `status` is the one that dispatch would"
        " answer, and a refused one does not prevent the others. The accepted ones are committed together."
    ),
)
class DispatchManyView(QueueView[calls.DispatchManyBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "dispatch_cp_message"

    def call(self, body: calls.DispatchManyBody, actor: Actor) -> Answer:
        entries = [_entry_of(message) for message in body["messages"]]
        self._refuse_other_queues(entries, actor)
        valid = {place: entry for place, entry in enumerate(entries) if isinstance(entry, services.Result)}
        results = list(valid.values())
        ended = services.dispatch_many(service=body["ServiceName"], results=results)
        answers = dict(zip(valid, map(_answer_of, results, ended), strict=True))
        return success(results=[answers.get(place, entry) for place, entry in enumerate(entries)])

    def queues(self, body: calls.DispatchManyBody, reach: frozenset[str]) -> list[str | None]:
        """Return the permitted queues of the messages; if there are any, `call` refuses the others."""
        entries = [_entry_of(message) for message in body["messages"]]
        guids = [entry.guid for entry in entries if isinstance(entry, services.Result)]
        return [queue for queue in selectors.queues_of(guids).values() if queue in reach] or [None]

    def _refuse_other_queues(self, entries: list[services.Result | _Refused], actor: Actor) -> None:
        """Replace messages outside the queues of the token by their refusals, and record these."""
        reach = self.reach(self.request)
        if reach is None:
            return
        guids = [entry.guid for entry in entries if isinstance(entry, services.Result)]
        queues = selectors.queues_of(guids)
        refused: list[str] = []
        for place, entry in enumerate(entries):
            if isinstance(entry, services.Result) and queues[entry.guid] not in reach:
                text = "This token may not dispatch messages of other queues, or of unknown ones."
                entries[place] = _refuse_item(entry.guid, 403, "permission_denied", text)
                refused.append(entry.guid)
        if refused:
            audit.record_entry(
                actor=actor,
                action=self.audited_as,
                outcome=AuditEntry.Outcome.REFUSED,
                details={"refusal": "permission_denied", "messages": refused},
            )


def _refuse_item(guid: str, status: int, code: str, detail: str) -> _Refused:
    return {"MessageGUID": guid, "status": status, "code": code, "detail": detail}


def _entry_of(message: object) -> services.Result | _Refused:
    """Return a message of a batch, or the refusal of an invalid one."""
    guid = message.get("MessageGUID") if isinstance(message, dict) else None
    given = guid if isinstance(guid, str) else ""
    if not isinstance(message, dict):
        return _refuse_item(given, 400, "invalid_value", "A message must be an object.")
    try:
        values = validate_value(calls.CpResultSerializer, message)
    except ValidationError as error:
        (fault, *_) = field_errors(error)
        return _refuse_item(given, 400, fault.code, fault.message)
    return services.Result(guid=values["MessageGUID"], reason=values["Reason"], token=values.get("Token"))


def _answer_of(
    given: services.Result, ended: services.Dispatched | services.Refusal
) -> dict[str, object] | _Refused:
    """Return the answer of one message."""
    if isinstance(ended, services.Dispatched):
        return {"MessageGUID": given.guid, "status": 200}
    try:
        with as_problems():
            raise ended
    except Problem as problem:
        code = problem.errors[0].code if problem.errors else problem.code
        return _refuse_item(given.guid, problem.status, code, problem.detail)


@describe_post(
    calls.CpResetServiceSerializer,
    {200: gives.CpReleasedSerializer},
    ACTING,
    description=(
        "std.ResetServiceCPMessages: free everything a service holds. A service calls it when it starts; a"
        " worker of that name that is still running continues, and its messages are processed twice."
    ),
)
class ResetServiceView(OneServiceView[calls.ResetServiceBody]):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "reset_cp_service"

    def call(self, body: calls.ResetServiceBody, actor: Actor) -> Answer:
        service = body["ServiceName"]
        if body["DryRun"]:
            return success(released=selectors.count_selected(services.Selection(service=service)))
        released = services.reset_service(
            service=service, actor=actor, reason=body["reason"], within=self.reach(self.request)
        )
        return success(released=released)


@describe_post(
    calls.CpDispatchForServiceSerializer,
    {200: gives.CpDispatchedSerializer},
    ACTING_ON_ONE,
    description="Dispatch for a service that is dead. No token is required; the audit log has the user.",
)
class DispatchForServiceView(OneMessageView[calls.DispatchForServiceBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "dispatch_cp_message"

    def call(self, body: calls.DispatchForServiceBody, actor: Actor) -> Answer:
        dispatched = services.dispatch_for_service(
            guid=body["MessageGUID"],
            service=body["ServiceName"],
            reason=body["Reason"],
            actor=actor,
            why=body["reason"],
        )
        return _dispatch_answer(dispatched)


@describe_post(
    calls.CpDispatchAllSerializer,
    {200: gives.CpDispatchedAllSerializer},
    ACTING,
    description="Dispatch everything a dead service holds. No token is required; the audit log has the user.",
)
class DispatchAllForServiceView(OneServiceView[calls.DispatchAllBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "dispatch_cp_service"

    def call(self, body: calls.DispatchAllBody, actor: Actor) -> Answer:
        service = body["ServiceName"]
        if body["DryRun"]:
            held = selectors.count_selected(services.Selection(service=service))
            return success(dispatched=held, outcomes={})
        outcomes = services.dispatch_all_for_service(
            service=service,
            reason=body["Reason"],
            actor=actor,
            why=body["reason"],
            within=self.reach(self.request),
        )
        return success(dispatched=sum(outcomes.values()), outcomes=outcomes)
