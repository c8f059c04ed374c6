"""The preview of a restart over REST. Source: docs/contributing/spec/interfaces.md, "Messages"."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.core.api_schema import READING_ONE, describe_answers
from messages_app.core.clock import database_clock
from messages_app.core.parameters import parse_flag
from messages_app.core.representation import represent_value
from messages_app.messages import selectors, services
from messages_app.messages.actions.effects import EffectCode
from messages_app.messages.actions.planned_calls import MAX_CALLS
from messages_app.messages.actions.preview import restart_preview
from messages_app.messages.api import message_id, problem_of_refusal
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


_TOTAL = OpenApiParameter(
    "total",
    {"type": "string", "enum": ["true", "false"], "default": "false"},
    description="Preview a restart from scratch.",
)


class RestartPreviewView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = frozenset({"total"})

    @extend_schema(
        parameters=[_TOTAL], responses=describe_answers(200, RestartPreviewSerializer, READING_ONE)
    )
    def get(self, request: Request, msg_id: str) -> Response:
        """Preview a restart: calls skipped and sent again, attempts left, effects on other messages."""
        total = parse_flag("total", self.values.get("total"))
        try:
            message, _ = selectors.get_message(message_id(msg_id))
        except services.MessageNotFound as error:
            raise problem_of_refusal(error) from None
        preview = restart_preview(message, total=total, at=database_clock())
        return Response(represent_value(RestartPreviewSerializer, preview))
