"""
Calls of operators: reset one message or a selection, delete, send on, pause and resume a queue.

Source: docs/contributing/spec/cp_queue.md, "Operations", "Console".
"""

from collections.abc import Callable

from messages_app.access.calls import describe_post
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE
from messages_app.cp_queue import registration, selectors, services
from messages_app.cp_queue.api import call_serializers as calls
from messages_app.cp_queue.api import serializers as gives
from messages_app.cp_queue.api.problems import OneMessageView, OneQueueView, success
from messages_app.cp_queue.states import Released


@describe_post(
    calls.CpResetSerializer,
    {200: gives.CpResetOneSerializer},
    ACTING_ON_ONE,
    description="std.ResetCPMessage: free one message. A worker that is still running continues with it.",
)
class ResetView(OneMessageView[calls.ResetBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "reset_cp_message"

    def call(self, body: calls.ResetBody, actor: Actor) -> Answer:
        outcome = services.reset_message(
            guid=body["MessageGUID"],
            service=body.get("ServiceName"),
            actor=actor,
            reason=body["reason"],
        )
        return success(released=int(outcome is Released.RELEASED), result=outcome)


@describe_post(
    calls.CpResetSelectiveSerializer,
    {200: gives.CpReleasedSerializer},
    ACTING,
    description="std.ResetSelectiveCPMessages: free the reserved messages for which every condition holds.",
)
class ResetSelectiveView(OneQueueView[calls.ResetSelectiveBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "reset_cp_selection"

    def call(self, body: calls.ResetSelectiveBody, actor: Actor) -> Answer:
        selection = services.Selection(
            queue=body.get("QueueName"),
            service=body.get("ServiceName"),
            object_id=body.get("ObjectID"),
            object_type=body.get("ObjectType"),
            created_before=body.get("CreatedBefore"),
        )
        if body["DryRun"]:
            return success(released=selectors.count_selected(selection))
        released = services.reset_selective(selection=selection, actor=actor, reason=body["reason"])
        return success(released=released)


@describe_post(
    calls.CpDeleteSerializer,
    {200: gives.CpDeletedSerializer},
    ACTING_ON_ONE,
    description="Delete a free message. 409: a service holds it; reset it first.",
)
class DeleteView(OneMessageView[calls.DeleteBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "delete_cp_message"

    def call(self, body: calls.DeleteBody, actor: Actor) -> Answer:
        if body["DryRun"]:
            guid = services.would_delete(guid=body["MessageGUID"])
        else:
            guid = services.delete_message(guid=body["MessageGUID"], actor=actor, reason=body["reason"])
        return success(MessageGUID=guid, deleted=1)


@describe_post(
    calls.CpOneMessageSerializer,
    {200: gives.CpDoneSerializer},
    ACTING_ON_ONE,
    description="Make a message that waits after a retry available now and reset its attempts.",
)
class SendOnView(OneMessageView[calls.OneMessageBody]):
    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    audited_as = "send_on_cp_message"

    def call(self, body: calls.OneMessageBody, actor: Actor) -> Answer:
        guid = services.send_on(guid=body["MessageGUID"], actor=actor, reason=body["reason"])
        return success(MessageGUID=guid)


class _PausingView(OneQueueView[calls.OneQueueBody]):
    """A POST with a queue and a reason, for `service`."""

    rights = {"POST": registration.CAN_STEER_CP_QUEUE}
    service: Callable[..., bool]

    def call(self, body: calls.OneQueueBody, actor: Actor) -> Answer:
        return success(changed=self.service(queue=body["QueueName"], actor=actor, reason=body["reason"]))


@describe_post(
    calls.CpOneQueueSerializer,
    {200: gives.CpPausedSerializer},
    ACTING,
    description="Pause a queue. Reserved messages stay reserved.",
)
class PauseView(_PausingView):
    audited_as = "pause_cp_queue"
    service = staticmethod(services.pause_queue)


@describe_post(
    calls.CpOneQueueSerializer,
    {200: gives.CpPausedSerializer},
    ACTING,
    description="Resume a paused queue.",
)
class ResumeView(_PausingView):
    audited_as = "resume_cp_queue"
    service = staticmethod(services.resume_queue)
