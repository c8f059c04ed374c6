"""The preview of a restart over REST. Source: docs/contributing/spec/interfaces.md, "Messages"."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from messages_app.access import roles
from messages_app.access.reads import Read
from messages_app.core.clock import database_clock
from messages_app.core.parameters import parse_flag
from messages_app.messages import selectors
from messages_app.messages.actions.effects import EffectCode
from messages_app.messages.actions.planned_calls import MAX_CALLS
from messages_app.messages.actions.preview import RestartPreview, restart_preview
from messages_app.messages.api import message_id, refusals_as_problems
from messages_app.messages.api_fields import external_call_state, message_state
from messages_app.shared.external_calls import WillBe


class LastRequestSerializer(serializers.Serializer):
    req_id = serializers.IntegerField()
    req_timestamp = serializers.DateTimeField()


class PlannedCallSerializer(serializers.Serializer):
    call_id = serializers.IntegerField()
    msg_id = serializers.IntegerField(
        help_text="Differs from the message's own id if a newer message took the call over."
    )
    operation_name = serializers.CharField()
    entity_id = serializers.CharField()
    state = external_call_state()
    will_be = serializers.ChoiceField(choices=[str(value) for value in WillBe])
    why = serializers.CharField()
    is_repeated = serializers.BooleanField(help_text="It already succeeded and is sent again.")
    last_request = LastRequestSerializer(
        allow_null=True, help_text="The last recorded request to the same target."
    )


class EffectSerializer(serializers.Serializer):
    code = serializers.ChoiceField(choices=[str(code) for code in EffectCode])
    text = serializers.CharField()
    msg_ids = serializers.ListField(child=serializers.IntegerField(), help_text="Messages named in the text.")
    is_warning = serializers.BooleanField()


class RestartPreviewSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    state = message_state()
    total = serializers.BooleanField()
    allowed = serializers.BooleanField(help_text="Whether the hub's rules allow a restart in this state.")
    why_not = serializers.CharField(help_text="Why not; empty if allowed.")
    failed_count = serializers.IntegerField()
    tries_left = serializers.IntegerField(help_text="Attempts left before the message fails permanently.")
    picked_up_from = serializers.DateTimeField(help_text="When the hub picks it up if restarted now.")
    picked_up_until = serializers.DateTimeField()
    calls = PlannedCallSerializer(many=True, help_text=f"At most {MAX_CALLS}.")
    calls_more = serializers.BooleanField(help_text="Whether there are more calls than listed.")
    parent = EffectSerializer(allow_null=True)
    children = EffectSerializer()
    order = EffectSerializer(allow_null=True)
    funnel = EffectSerializer(allow_null=True)
    archive = EffectSerializer()
    correction = EffectSerializer(
        allow_null=True, help_text="Whether a new message was sent with its corrected payload before."
    )


_TOTAL = OpenApiParameter(
    "total",
    {"type": "string", "enum": ["true", "false"], "default": "false"},
    description="Preview a restart from scratch.",
)


def preview_restart(*, msg_id: int, values: Mapping[str, str]) -> RestartPreview:
    total = parse_flag("total", values.get("total"))
    message, _ = selectors.get_message(msg_id)
    return restart_preview(message, total=total, at=database_clock())


CALLS = [
    Read(
        "messages/<str:msg_id>/restart-preview/",
        preview_restart,
        right=roles.CAN_VIEW_MESSAGES,
        key=message_id,
        answer=RestartPreviewSerializer,
        parameters=[_TOTAL],
        query=frozenset({"total"}),
        errors=refusals_as_problems,
        description=(
            "Preview a restart: calls skipped and sent again, attempts left, effects on other messages."
        ),
    ),
]
