"""
What services call: create, get next, dispatch, reset.

Source: docs/spec/interfaces.md, "CP queue"; docs/spec/cp_queue.md, "Operations".
"""

from collections.abc import Mapping

from rest_framework.request import Request

from messages_app.access.actors import actor_of
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE
from messages_app.cp_queue import parameters, registration, selectors, services
from messages_app.cp_queue.api import serializers
from messages_app.cp_queue.api.problems import (
    SUCCESS,
    OneMessageView,
    OneServiceView,
    QueueView,
    as_problems,
    body_of,
    described,
)
from messages_app.cp_queue.states import FLAGGED_QUEUES


@described(
    serializers.CpCreateSerializer,
    {201: serializers.CpCreatedSerializer, 200: serializers.CpCreatedSerializer},
    ACTING,
    description=(
        "std.CreateCPMessages: create one message for each flag that is true and for each further queue."
        " A second call creates them again; only a pickup coalesces. 200: nothing was requested or created."
    ),
)
class CreateView(QueueView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "create_cp_messages"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        asked = {
            "object_id": body["ObjectID"],
            "object_type": body["ObjectType"],
            "queues": _asked_for(body),
        }
        with as_problems():
            if body["DryRun"]:
                return Answer(200, SUCCESS | {"created": services.would_create(**asked)})
            # Programs report changes all the time; who says why is a person.
            actor = actor_of(request) if body["reason"] else None
            created = services.create(**asked, actor=actor, reason=body["reason"])
        return Answer(201 if created else 200, SUCCESS | {"created": created})

    def made_at(self, request: Request, body: Mapping[str, object]) -> str:
        """Name the object, with which the messages are listed."""
        return f"cp-queue/objects/{request.data['ObjectID']}/"

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str]:
        return parameters.new_queue_names(_asked_for(body))


def _asked_for(body: dict[str, object]) -> list[str]:
    """Return the queues of the flags, and the ones that are named."""
    flagged = [queue for flag, queue in FLAGGED_QUEUES.items() if body[flag]]
    return flagged + [name for name in body["QueueNames"].split(",") if name.strip()]


@described(
    serializers.CpGetNextSerializer,
    {200: serializers.CpNextSerializer},
    ACTING,
    description=(
        "std.GetNextCPMessage: reserve the newest free message over all the queues, and collapse the"
        " other free ones of its object and queue. The reservation holds until its dispatch or a reset."
        " After an answer that was lost, reset the service."
    ),
)
class GetNextView(QueueView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "get_next_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            picked = services.get_next(
                queues=body["QueueNames"], service=body["ServiceName"], wants_token=body["WantToken"]
            )
        if picked is None:
            return Answer(200, SUCCESS | {"MessageGUID": ""})
        found = {
            "MessageGUID": picked.guid,
            "ObjectID": picked.object_id,
            "ObjectType": picked.object_type,
            "QueueName": picked.queue,
        }
        return Answer(200, SUCCESS | found | ({"Token": picked.token} if picked.token else {}))

    def queues(self, body: dict[str, object], reach: frozenset[str]) -> list[str]:
        return parameters.queue_names(body["QueueNames"])


def _dispatched(dispatched: services.Dispatched) -> Answer:
    body = SUCCESS | {
        "outcome": dispatched.outcome,
        "attempts": dispatched.attempts,
        "not_before": dispatched.not_before,
    }
    return Answer(200, serializers.CpDispatchedSerializer(body).data)


@described(
    serializers.CpDispatchSerializer,
    {200: serializers.CpDispatchedSerializer},
    ACTING_ON_ONE,
    description=(
        "std.DispatchCPMessage: RETRY frees the message, to be handed out later; any other reason removes "
        "it. 409 `state_conflict`: it is not reserved, or another service holds it. 409 `lease_lost`: the "
        "token is not that of its reservation. 404 after a first dispatch is harmless."
    ),
)
class DispatchView(OneMessageView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "dispatch_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            dispatched = services.dispatch(
                guid=body["MessageGUID"],
                service=body["ServiceName"],
                reason=body["Reason"],
                token=body.get("Token"),
            )
        return _dispatched(dispatched)


@described(
    serializers.CpResetServiceSerializer,
    {200: serializers.CpReleasedSerializer},
    ACTING,
    description=(
        "std.ResetServiceCPMessages: free all that a service holds. A service calls it when it starts; a"
        " worker of that name that is still running continues, and its messages are processed twice."
    ),
)
class ResetServiceView(OneServiceView):
    rights = {"POST": registration.CAN_PULL_CP_MESSAGES}
    audited_as = "reset_cp_service"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        service = body["ServiceName"]
        with as_problems():
            if body["DryRun"]:
                released = selectors.selected(services.Selection(service=service))
            else:
                released = services.reset_service(
                    service=service,
                    actor=actor_of(request),
                    reason=body["reason"],
                    within=self.reach(request),
                )
        return Answer(200, SUCCESS | {"released": released})


@described(
    serializers.CpDispatchForServiceSerializer,
    {200: serializers.CpDispatchedSerializer},
    ACTING_ON_ONE,
    description="Dispatch for a service that is dead. Asks for no token; the audit keeps who did it.",
)
class DispatchForServiceView(OneMessageView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "dispatch_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            dispatched = services.dispatch_for_service(
                guid=body["MessageGUID"],
                service=body["ServiceName"],
                reason=body["Reason"],
                actor=actor_of(request),
                why=body["reason"],
            )
        return _dispatched(dispatched)


@described(
    serializers.CpDispatchAllSerializer,
    {200: serializers.CpDispatchedAllSerializer},
    ACTING,
    description="Dispatch all that a dead service holds. Asks for no token; the audit keeps who did it.",
)
class DispatchAllForServiceView(OneServiceView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "dispatch_cp_service"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        service = body["ServiceName"]
        with as_problems():
            if body["DryRun"]:
                held = selectors.selected(services.Selection(service=service))
                return Answer(200, SUCCESS | {"dispatched": held, "outcomes": {}})
            outcomes = services.dispatch_all_for_service(
                service=service,
                reason=body["Reason"],
                actor=actor_of(request),
                why=body["reason"],
                within=self.reach(request),
            )
        counts = {"dispatched": sum(outcomes.values()), "outcomes": outcomes}
        return Answer(200, SUCCESS | counts)
