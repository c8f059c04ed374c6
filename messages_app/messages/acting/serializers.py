"""What the API says of a restart before it is done. Source: spec/interfaces.md 5."""

from rest_framework import serializers

from messages_app.messages.acting.calls import MAX_CALLS
from messages_app.messages.acting.effects import EffectCode
from messages_app.messages.acting.fates import WillBe
from messages_app.messages.code_fields import external_call_state, message_state


class LastRequestSerializer(serializers.Serializer):
    req_id = serializers.IntegerField()
    req_timestamp = serializers.DateTimeField()


class PlannedCallSerializer(serializers.Serializer):
    call_id = serializers.IntegerField()
    msg_id = serializers.IntegerField(help_text="Another than the message's: a newer one took the call over.")
    operation_name = serializers.CharField()
    entity_id = serializers.CharField()
    state = external_call_state()
    will_be = serializers.ChoiceField(choices=[str(fate) for fate in WillBe])
    why = serializers.CharField()
    is_repeated = serializers.BooleanField(help_text="It went through before and is sent again.")
    last_request = LastRequestSerializer(
        allow_null=True, help_text="The last request on record to the same target."
    )


class EffectSerializer(serializers.Serializer):
    code = serializers.ChoiceField(choices=[str(code) for code in EffectCode])
    text = serializers.CharField()
    msg_ids = serializers.ListField(
        child=serializers.IntegerField(), help_text="The messages that the text names."
    )
    is_warning = serializers.BooleanField()


class RestartPreviewSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    state = message_state()
    total = serializers.BooleanField()
    allowed = serializers.BooleanField(help_text="Whether the hub's rules allow a restart in this state.")
    why_not = serializers.CharField(help_text="Why they do not; empty where they do.")
    failed_count = serializers.IntegerField()
    tries_left = serializers.IntegerField(help_text="Tries before the message is FAILED for good.")
    picked_up_from = serializers.DateTimeField(help_text="When the hub takes it up, if restarted now.")
    picked_up_until = serializers.DateTimeField()
    calls = PlannedCallSerializer(many=True, help_text=f"At most {MAX_CALLS} of its own.")
    calls_more = serializers.BooleanField(help_text="There are more calls than are listed.")
    parent = EffectSerializer(allow_null=True)
    children = EffectSerializer()
    order = EffectSerializer(allow_null=True)
    funnel = EffectSerializer(allow_null=True)
    archive = EffectSerializer()
