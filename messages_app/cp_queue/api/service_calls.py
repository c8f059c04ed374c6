"""
Calls of services: create, get next, dispatch, reset; and the dispatch for a dead service.

Source: docs/contributing/spec/interfaces.md, "CP queue"; docs/contributing/spec/cp_queue.md, "Operations".
"""

from collections.abc import Mapping, Sequence
from functools import partial

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING_ON_ONE
from messages_app.core.representation import represent_value
from messages_app.core.serializers import OptionalTextField, ReasonField, StrictIntegerField, StrictSerializer
from messages_app.cp_queue import parameters, selectors
from messages_app.cp_queue.api import vendor
from messages_app.cp_queue.registration import CAN_PULL_CP_MESSAGES, CAN_STEER_CP_QUEUE
from messages_app.cp_queue.services.create import create_messages, would_create
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import dispatch_all_for_service, dispatch_for_service
from messages_app.cp_queue.services.pickup import MAX_PICKED, get_next, get_next_many
from messages_app.cp_queue.services.reset import Selection, reset_service
from messages_app.cp_queue.states import FLAGGED_QUEUES, MAX_GUID, MAX_REASON


class CpCreateSerializer(vendor.ActionSerializer):
    ObjectID = vendor.number_field(source="object_id")
    ObjectType = vendor.number_field("Main type × 65536 + sub type.", source="object_type")
    CreateFulltextIdxMessages = vendor.flag_field("A message in FULLTEXTIDX.")
    CreateFulltextFilterMessages = vendor.flag_field("A message in FULLTEXTFILTER.")
    CreateRenditionMessages = vendor.flag_field("A message in RENDITION.")
    QueueNames = vendor.text_field(
        "Further queues, separated by commas; the vendor's server fills them automatically.",
        source="queues",
        required=False,
        default="",
    )
    DryRun = vendor.only_count()

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        """Return the queues of the flags before the named ones."""
        flagged = [queue for flag, queue in FLAGGED_QUEUES.items() if values[flag]]
        return values | {"queues": flagged + parameters.split_names(str(values["queues"]))}


class CpCreatedSerializer(vendor.AnswerSerializer):
    created = serializers.IntegerField(
        source="*",
        help_text=(
            "Number of messages created, or with DryRun the number that would be created. The server "
            "assigns their GUIDs."
        ),
    )


def create_or_count(
    *,
    object_id: int,
    object_type: int,
    queues: Sequence[str],
    is_dry_run: bool,
    actor: Actor,
    reason: str,
) -> Answer:
    if is_dry_run:
        number = would_create(object_id=object_id, object_type=object_type, queues=queues)
        return Answer(200, represent_value(CpCreatedSerializer, number))
    number = create_messages(
        object_id=object_id,
        object_type=object_type,
        queues=queues,
        # Only people give a reason; programs report changes all the time.
        actor=actor if reason else None,
        reason=reason,
    )
    return Answer(201 if number else 200, represent_value(CpCreatedSerializer, number))


class CpGetNextSerializer(vendor.BodySerializer):
    QueueNames = vendor.text_field(
        "One or several queues, separated by commas; their order does not matter.", source="queues"
    )
    ServiceName = vendor.text_field("Unique name of the worker.", source="service")
    WantToken = vendor.flag_field(
        "Fence the reservation: its dispatch must send the token of the answer.", source="wants_token"
    )


class NextMessageSerializer(vendor.AnswerSerializer):
    """A message that a pickup returns, or would return."""

    MessageGUID = serializers.CharField(
        source="guid",
        allow_blank=True,
        help_text=(
            "Empty if no message is free or another service was faster; other fields are then absent."
        ),
    )
    ObjectID = serializers.IntegerField(source="object_id", required=False)
    ObjectType = serializers.IntegerField(source="object_type", required=False)
    QueueName = serializers.CharField(source="queue", required=False, help_text="The queue of the message.")

    def to_representation(self, instance: object | None) -> dict[str, object]:
        return super().to_representation({"guid": ""} if instance is None else instance)


class CpNextSerializer(NextMessageSerializer):
    Token = OptionalTextField(source="token", help_text="With WantToken.")


class CpGetNextManySerializer(CpGetNextSerializer):
    Count = StrictIntegerField(
        source="count",
        min_value=1,
        max_value=MAX_PICKED,
        help_text="Maximum number of messages; there may be fewer.",
    )


class CpPickedSerializer(serializers.Serializer):
    MessageGUID = serializers.CharField(source="guid")
    ObjectID = serializers.IntegerField(source="object_id")
    ObjectType = serializers.IntegerField(source="object_type")
    QueueName = serializers.CharField(source="queue", help_text="The queue of the message.")
    Token = OptionalTextField(source="token", help_text="With WantToken.")


class CpNextManySerializer(vendor.AnswerSerializer):
    messages = CpPickedSerializer(
        source="*",
        many=True,
        help_text="Newest first. Empty if no message is free or other services were faster.",
    )


class CpResultSerializer(StrictSerializer):
    """A message with its result, in a dispatch of one or of several."""

    MessageGUID = vendor.text_field(f"{MAX_GUID} hexadecimal digits in upper or lower case.", source="guid")
    Reason = vendor.text_field(
        f"OK, RETRY (keeps the message) or an error text. At most {MAX_REASON} characters.", source="reason"
    )
    Token = vendor.text_field("Token of the pickup, if it requested one.", source="token", required=False)


class CpDispatchSerializer(CpResultSerializer, vendor.BodySerializer):
    ServiceName = vendor.text_field(source="service")


class CpDispatchedSerializer(vendor.AnswerSerializer):
    outcome = serializers.ChoiceField(choices=vendor.OUTCOMES)
    attempts = serializers.IntegerField(help_text="Dispatches with RETRY, this one included.")
    not_before = serializers.DateTimeField(
        allow_null=True, help_text="When it becomes available again; null: removed or parked."
    )


class CpDispatchForServiceSerializer(vendor.BodySerializer):
    reason = ReasonField(source="why", required=False, default="", allow_blank=True)
    MessageGUID = vendor.text_field(source="guid")
    Reason = vendor.text_field("The reason that the service would have sent.", source="reason")
    ServiceName = vendor.text_field("The service that holds the message.", source="service")


class CpDispatchAllSerializer(vendor.BodySerializer):
    reason = ReasonField(source="why", required=False, default="", allow_blank=True)
    Reason = vendor.text_field(
        "The reason that the service would have sent for each message.", source="reason"
    )
    ServiceName = vendor.text_field("The dead service that holds them.", source="service")
    DryRun = vendor.only_count()


class CpDispatchedAllSerializer(vendor.AnswerSerializer):
    dispatched = serializers.IntegerField(
        help_text=(
            "Number of messages dispatched, or with DryRun the number that would be; at most a thousand "
            "per call."
        )
    )
    outcomes = serializers.DictField(
        child=serializers.IntegerField(), help_text=("Number of messages by outcome.")
    )


def dispatch_or_count(
    *,
    service: str,
    reason: str,
    why: str,
    is_dry_run: bool,
    actor: Actor,
    reach: frozenset[str] | None,
) -> Mapping[str, object]:
    if is_dry_run:
        return {"dispatched": selectors.count_selected(Selection(service=service)), "outcomes": {}}
    outcomes = dispatch_all_for_service(service=service, reason=reason, actor=actor, why=why, within=reach)
    return {"dispatched": sum(outcomes.values()), "outcomes": outcomes}


class CpResetServiceSerializer(vendor.ResetSerializer):
    ServiceName = vendor.text_field(source="service")
    DryRun = vendor.only_count()


class CpReleasedSerializer(vendor.AnswerSerializer):
    released = serializers.IntegerField(
        source="*", help_text=("Number of messages released, or with DryRun the number that would be.")
    )


def release_or_count(
    *, service: str, is_dry_run: bool, actor: Actor, reason: str, reach: frozenset[str] | None
) -> int:
    if is_dry_run:
        return selectors.count_selected(Selection(service=service))
    return reset_service(service=service, actor=actor, reason=reason, within=reach)


_call = partial(Action, right=CAN_PULL_CP_MESSAGES, errors=vendor.as_problems)

CALLS = [
    _call(
        "create-messages/",
        create_or_count,
        name="Create",
        audited_as="create_cp_messages",
        body=CpCreateSerializer,
        answer=CpCreatedSerializer,
        statuses=(201, 200),
        affects=parameters.new_queue_names,
        location="cp-queue/objects/{ObjectID}/",
        description=(
            "std.CreateCPMessages: create one message for each flag that is true and for each further queue."
            " A second call creates them again; only a pickup coalesces. 200: nothing was requested or"
            " created."
        ),
    ),
    _call(
        "get-next/",
        get_next,
        audited_as="get_next_cp_message",
        body=CpGetNextSerializer,
        answer=CpNextSerializer,
        affects=parameters.queue_names,
        description=(
            "std.GetNextCPMessage: reserve the newest free message over all the queues, and collapse the"
            " other free ones of its object and queue. The reservation holds until its dispatch or a reset."
            " After an answer that was lost, reset the service."
        ),
    ),
    _call(
        "get-next-many/",
        get_next_many,
        audited_as="get_next_cp_message",
        body=CpGetNextManySerializer,
        answer=CpNextManySerializer,
        affects=parameters.queue_names,
        description=(
            "Reserve up to Count of the newest free messages, as get-next does one by one: each collapses the"
            " other free ones of its object and queue. Messages that other services are reserving at this"
            " moment are passed over. Fewer than Count do not mean that the queue is empty."
        ),
    ),
    _call(
        "dispatch/",
        dispatch_message,
        audited_as="dispatch_cp_message",
        body=CpDispatchSerializer,
        answer=CpDispatchedSerializer,
        problems=ACTING_ON_ONE,
        affects=vendor.queue_of_message,
        description=(
            "std.DispatchCPMessage: RETRY frees the message, to be handed out later; any other reason removes"
            " it. 409 `state_conflict`: it is not reserved, or another service holds it. 409 `lease_lost`:"
            " the token is not that of its reservation. 404 after a first dispatch is harmless."
        ),
    ),
    _call(
        "dispatch-for-service/",
        dispatch_for_service,
        right=CAN_STEER_CP_QUEUE,
        audited_as="dispatch_cp_message",
        body=CpDispatchForServiceSerializer,
        answer=CpDispatchedSerializer,
        problems=ACTING_ON_ONE,
        affects=vendor.queue_of_message,
        description="Dispatch for a service that is dead. No token is required; the audit log has the user.",
    ),
    _call(
        "dispatch-all-for-service/",
        dispatch_or_count,
        right=CAN_STEER_CP_QUEUE,
        audited_as="dispatch_cp_service",
        body=CpDispatchAllSerializer,
        answer=CpDispatchedAllSerializer,
        affects=vendor.queues_of_service,
        description=(
            "Dispatch everything a dead service holds. No token is required; the audit log has the user."
        ),
    ),
    _call(
        "reset-service/",
        release_or_count,
        audited_as="reset_cp_service",
        body=CpResetServiceSerializer,
        answer=CpReleasedSerializer,
        affects=vendor.queues_of_service,
        description=(
            "std.ResetServiceCPMessages: free everything a service holds. A service calls it when it starts;"
            " a worker of that name that is still running continues, and its messages are processed twice."
        ),
    ),
]
