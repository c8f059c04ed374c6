"""
Calls of services: create, get next, dispatch, reset; and the dispatch for a dead service.

Source: docs/spec/interfaces.md, "CP queue"; docs/spec/cp_queue.md, "Operations".
"""

from collections.abc import Mapping

from rest_framework.request import Request

from messages_app.access.calls import describe_post
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE
from messages_app.cp_queue import parameters, registration, selectors, services
from messages_app.cp_queue.api import call_serializers as calls
from messages_app.cp_queue.api import serializers as gives
from messages_app.cp_queue.api.problems import SUCCESS, OneMessageView, OneServiceView, QueueView, success
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
        created = services.create(
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
    return flagged + [name for name in body["QueueNames"].split(",") if name.strip()]


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
        if picked is None:
            return success(MessageGUID="")
        token = {"Token": picked.token} if picked.token else {}
        return success(
            MessageGUID=picked.guid,
            ObjectID=picked.object_id,
            ObjectType=picked.object_type,
            QueueName=picked.queue,
            **token,
        )

    def queues(self, body: calls.GetNextBody, reach: frozenset[str]) -> list[str]:
        return parameters.queue_names(body["QueueNames"])


def _dispatch_answer(dispatched: services.Dispatched) -> Answer:
    body = {
        **SUCCESS,
        "outcome": dispatched.outcome,
        "attempts": dispatched.attempts,
        "not_before": dispatched.not_before,
    }
    return Answer(200, gives.CpDispatchedSerializer(body).data)


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
        dispatched = services.dispatch(
            guid=body["MessageGUID"],
            service=body["ServiceName"],
            reason=body["Reason"],
            token=body.get("Token"),
        )
        return _dispatch_answer(dispatched)


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
