"""
Calls of operators: reset one message or a selection, delete, send on, pause and resume a queue.

Source: docs/contributing/spec/cp_queue.md, "Operations", "Console".
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING_ON_ONE
from messages_app.core.serializers import ConstantField
from messages_app.cp_queue import parameters, selectors
from messages_app.cp_queue.api import vendor
from messages_app.cp_queue.api.service_calls import CpReleasedSerializer
from messages_app.cp_queue.registration import CAN_STEER_CP_QUEUE
from messages_app.cp_queue.services.operators import (
    delete_message,
    pause_queue,
    resume_queue,
    send_on,
    would_delete,
)
from messages_app.cp_queue.services.reset import Selection, reset_message, reset_selective
from messages_app.cp_queue.states import Released


class CpResetSerializer(vendor.ResetSerializer):
    MessageGUID = vendor.text_field(source="guid")
    ServiceName = vendor.text_field(
        "The service that holds it; if another service holds it now, nothing is changed.",
        source="service",
        required=False,
    )


class CpResetOneSerializer(vendor.AnswerSerializer):
    released = serializers.IntegerField(
        help_text=("Number of messages released, or with DryRun the number that would be.")
    )
    result = serializers.ChoiceField(choices=[str(value) for value in Released])


def reset_one(*, guid: str, actor: Actor, reason: str, service: str | None = None) -> Mapping[str, object]:
    outcome = reset_message(guid=guid, service=service, actor=actor, reason=reason)
    return {"released": outcome is Released.RELEASED, "result": outcome}


class CpResetSelectiveSerializer(vendor.ResetSerializer):
    """At least one condition."""

    QueueName = vendor.text_field(source="queue", required=False)
    ServiceName = vendor.text_field(source="service", required=False)
    ObjectID = vendor.number_field(source="object_id", required=False)
    ObjectType = vendor.number_field(source="object_type", required=False)
    CreatedBefore = serializers.DateTimeField(
        source="created_before", required=False, help_text="With a UTC offset."
    )
    DryRun = vendor.only_count("Only count, up to 5000.")

    def validate(self, values: dict[str, object]) -> dict[str, object]:
        for name, source in (("QueueName", "queue"), ("ServiceName", "service")):
            if values.get(source) == "":
                raise serializers.ValidationError({name: f"{name} must not be empty."}, code="required")
        return values


def reset_or_count(*, is_dry_run: bool, actor: Actor, reason: str, **values: Any) -> int:
    selection = Selection(**{each.name: values.get(each.name) for each in fields(Selection)})
    if is_dry_run:
        return selectors.count_selected(selection)
    return reset_selective(selection=selection, actor=actor, reason=reason)


class CpOneMessageSerializer(vendor.ActionSerializer):
    MessageGUID = vendor.text_field(source="guid")


class CpDoneSerializer(vendor.AnswerSerializer):
    MessageGUID = serializers.CharField(source="*")


class CpDeleteSerializer(CpOneMessageSerializer):
    DryRun = vendor.only_count()


class CpDeletedSerializer(CpDoneSerializer):
    deleted = ConstantField(
        1, help_text=("Number of messages deleted, or with DryRun the number that would be.")
    )


def delete_or_check(*, guid: str, is_dry_run: bool, actor: Actor, reason: str) -> str:
    return would_delete(guid=guid) if is_dry_run else delete_message(guid=guid, actor=actor, reason=reason)


class CpOneQueueSerializer(vendor.ActionSerializer):
    QueueName = vendor.text_field(source="queue")


class CpPausedSerializer(vendor.AnswerSerializer):
    changed = serializers.BooleanField(source="*", help_text="false: no change was needed.")


def named_queue(*, queue: str | None = None) -> list[str | None]:
    """Return the queue that a call names; without a name it is about all queues."""
    return [None if queue is None else parameters.stored_queue_name(queue)]


_call = partial(Action, right=CAN_STEER_CP_QUEUE, errors=vendor.as_problems)
_act_on_message = partial(_call, problems=ACTING_ON_ONE, affects=vendor.queue_of_message)
_switch = partial(_call, body=CpOneQueueSerializer, answer=CpPausedSerializer, affects=named_queue)

CALLS = [
    _act_on_message(
        "reset/",
        reset_one,
        audited_as="reset_cp_message",
        body=CpResetSerializer,
        answer=CpResetOneSerializer,
        description="std.ResetCPMessage: free one message. A worker that is still running continues with it.",
    ),
    _call(
        "reset-selective/",
        reset_or_count,
        audited_as="reset_cp_selection",
        body=CpResetSelectiveSerializer,
        answer=CpReleasedSerializer,
        affects=named_queue,
        description=(
            "std.ResetSelectiveCPMessages: free the reserved messages for which every condition holds."
        ),
    ),
    _act_on_message(
        "delete/",
        delete_or_check,
        audited_as="delete_cp_message",
        body=CpDeleteSerializer,
        answer=CpDeletedSerializer,
        description="Delete a free message. 409: a service holds it; reset it first.",
    ),
    _act_on_message(
        "send-on/",
        send_on,
        audited_as="send_on_cp_message",
        body=CpOneMessageSerializer,
        answer=CpDoneSerializer,
        description="Make a message that waits after a retry available now and reset its attempts.",
    ),
    _switch(
        "pause-queue/",
        pause_queue,
        name="Pause",
        audited_as="pause_cp_queue",
        description="Pause a queue. Reserved messages stay reserved.",
    ),
    _switch(
        "resume-queue/",
        resume_queue,
        name="Resume",
        audited_as="resume_cp_queue",
        description="Resume a paused queue.",
    ),
]
