"""What the API says of funnels. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.messages.code_fields import message_state
from messages_app.messages.funnels.lanes import MOST_BEFORE, Lane, Why

WAITING_GIVEN = 10


class _MemberSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField(source="member.msg_id")
    state = message_state(source="member.state")
    msg_timestamp = serializers.DateTimeField(source="member.msg_timestamp")
    receive_timestamp = serializers.DateTimeField(source="member.receive_timestamp")


class HolderSerializer(_MemberSerializer):
    start_process_timestamp = serializers.DateTimeField(source="member.start_process_timestamp")
    idle_at = serializers.DateTimeField(
        help_text="When the idle window ends, at its default length: then it keeps nobody out."
    )
    is_idle = serializers.BooleanField(help_text="That has passed: it runs on, and holds nothing.")


class WaitingSerializer(_MemberSerializer):
    position = serializers.IntegerField(help_text="1: the hub's poll takes it first.")
    why = serializers.ChoiceField(choices=[str(why) for why in Why], help_text="As `reason` of explain.")
    blocked_by = serializers.IntegerField(allow_null=True, help_text="The message that must change first.")


class OrderedSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    state = message_state()
    msg_timestamp = serializers.DateTimeField()
    receive_timestamp = serializers.DateTimeField()


class FunnelSerializer(serializers.Serializer):
    component_id = serializers.CharField(
        allow_null=True, help_text="null: none is named, or values are exclusive over all funnels (OpenHub)."
    )
    value = serializers.CharField()
    since = serializers.DateTimeField(
        help_text="Receipt of who waits longest; where nobody waits, the start of who holds longest."
    )
    holders = HolderSerializer(many=True)
    order = OrderedSerializer(
        many=True,
        help_text=(
            f"Who is before those who wait in their guaranteed order, at most {MOST_BEFORE}, its head first; "
            "a FAILED head blocks all others until it is restarted."
        ),
    )
    waiting_count = serializers.SerializerMethodField(help_text="Of those read: see `truncated`.")
    waiting = serializers.SerializerMethodField(help_text=f"The first {WAITING_GIVEN}, in the poll's order.")

    def get_waiting_count(self, lane: Lane) -> int:
        return len(lane.waiting)

    @extend_schema_field(WaitingSerializer(many=True))
    def get_waiting(self, lane: Lane) -> list[dict]:
        return WaitingSerializer(lane.waiting[:WAITING_GIVEN], many=True).data


class FunnelPageSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    at = serializers.DateTimeField(help_text="The moment that is shown, by the database's clock.")
    truncated = serializers.BooleanField(
        help_text="More wait than were read; those that wait longest are here."
    )
    results = FunnelSerializer(many=True)
