"""
What operators call: reset one message or a selection, delete, send on.

Source: docs/spec/cp_queue.md, "Operations", "Console".
"""

from collections.abc import Callable

from rest_framework.request import Request

from messages_app.access.actors import actor_of
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE
from messages_app.cp_queue import registration, selectors, services
from messages_app.cp_queue.api import serializers
from messages_app.cp_queue.api.problems import (
    SUCCESS,
    OneMessageView,
    OneQueueView,
    as_problems,
    body_of,
    described,
)
from messages_app.cp_queue.states import Released


@described(
    serializers.CpResetSerializer,
    {200: serializers.CpResetOneSerializer},
    ACTING_ON_ONE,
    description="std.ResetCPMessage: free one message. A worker that is still running continues with it.",
)
class ResetView(OneMessageView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "reset_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            outcome = services.reset(
                guid=body["MessageGUID"],
                service=body.get("ServiceName"),
                actor=actor_of(request),
                reason=body["reason"],
            )
        released = int(outcome is Released.RELEASED)
        return Answer(200, SUCCESS | {"released": released, "result": outcome})


@described(
    serializers.CpResetSelectiveSerializer,
    {200: serializers.CpReleasedSerializer},
    ACTING,
    description="std.ResetSelectiveCPMessages: free the reserved messages for which every condition holds.",
)
class ResetSelectiveView(OneQueueView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "reset_cp_selection"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        selection = services.Selection(
            queue=body.get("QueueName"),
            service=body.get("ServiceName"),
            object_id=body.get("ObjectID"),
            object_type=body.get("ObjectType"),
            created_before=body.get("CreatedBefore"),
        )
        with as_problems():
            if body["DryRun"]:
                released = selectors.selected(selection)
            else:
                released = services.reset_selective(
                    selection=selection, actor=actor_of(request), reason=body["reason"]
                )
        return Answer(200, SUCCESS | {"released": released})


@described(
    serializers.CpDeleteSerializer,
    {200: serializers.CpDeletedSerializer},
    ACTING_ON_ONE,
    description="Delete a free message. 409: a service holds it; reset it first.",
)
class DeleteView(OneMessageView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "delete_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            if body["DryRun"]:
                guid = services.would_delete(guid=body["MessageGUID"])
            else:
                guid = services.delete(
                    guid=body["MessageGUID"], actor=actor_of(request), reason=body["reason"]
                )
        return Answer(200, SUCCESS | {"MessageGUID": guid, "deleted": 1})


@described(
    serializers.CpOneMessageSerializer,
    {200: serializers.CpDoneSerializer},
    ACTING_ON_ONE,
    description="Make a message that waits after a retry available now and reset its attempts.",
)
class SendOnView(OneMessageView):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "send_on_cp_message"

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            guid = services.send_on(guid=body["MessageGUID"], actor=actor_of(request), reason=body["reason"])
        return Answer(200, SUCCESS | {"MessageGUID": guid})


class _PausingView(OneQueueView):
    """A POST about one queue that says nothing but why; `service` does it."""

    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    service: Callable[..., bool]

    def act(self, request: Request) -> Answer:
        body = body_of(self.takes, request)
        with as_problems():
            is_changed = self.service(queue=body["QueueName"], actor=actor_of(request), reason=body["reason"])
        return Answer(200, SUCCESS | {"changed": is_changed})


@described(
    serializers.CpOneQueueSerializer,
    {200: serializers.CpPausedSerializer},
    ACTING,
    description="Pause a queue. Reserved messages stay reserved.",
)
class PauseView(_PausingView):
    audited_as = "pause_cp_queue"
    service = staticmethod(services.pause_queue)


@described(
    serializers.CpOneQueueSerializer,
    {200: serializers.CpPausedSerializer},
    ACTING,
    description="Resume a paused queue.",
)
class ResumeView(_PausingView):
    audited_as = "resume_cp_queue"
    service = staticmethod(services.resume_queue)
