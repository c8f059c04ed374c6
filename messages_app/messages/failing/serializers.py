"""Groups of failures, and the catalogue, as the API has them."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.messages.failing import queries
from messages_app.messages.failing.models import ErrorCode, FailureGroup
from messages_app.messages.failing.repaired import LOOKED_AT, outcomes_of_groups
from messages_app.messages.failing.services import MAX_NOTE
from messages_app.messages.failing.states import SAID_STATES, GroupState
from messages_app.web.codes import CodeField
from messages_app.web.reasons import MAX_REASON
from messages_app.web.serializers import ReasonField, StrictCharField, StrictSerializer


class ErrorCodeSerializer(serializers.ModelSerializer):
    class Meta:
        model = ErrorCode
        fields = ("code", "description", "action", "is_own")
        read_only_fields = fields


class LastingGroupSerializer(serializers.ModelSerializer):
    state = CodeField("FailureGroupState", GroupState, read_only=True)

    class Meta:
        model = FailureGroup
        fields = (
            "group_id",
            "service_name",
            "operation_name",
            "failed_error_code",
            "summary",
            "example",
            "failures",
            "first_seen",
            "last_seen",
            "state",
            "state_at",
            "snoozed_until",
            "owner",
            "ticket",
            "note",
        )
        read_only_fields = fields


class WindowsSerializer(serializers.Serializer):
    hour = serializers.IntegerField()
    hours_3 = serializers.IntegerField()
    day = serializers.IntegerField()
    days_7 = serializers.IntegerField()


class GroupLineSerializer(serializers.Serializer):
    group = LastingGroupSerializer()
    windows = WindowsSerializer(help_text="How often it failed in the last 1 h, 3 h, 24 h, 7 days.")
    failing_now = serializers.IntegerField(
        help_text="How many of its messages are FAILED still; for groups with many messages at most so many,"
        " by service, operation and code."
    )
    known = ErrorCodeSerializer(allow_null=True, help_text="What the catalogue says of its code.")


class AffectedSerializer(serializers.Serializer):
    entity_type = serializers.CharField(allow_blank=True)
    object_id = serializers.CharField()
    messages = serializers.IntegerField()
    failing_now = serializers.IntegerField(help_text="How many of them are FAILED still.")
    msg_id = serializers.IntegerField(help_text="The newest of them.")


class GroupOutcomeSerializer(serializers.Serializer):
    """What a group's newest messages are now."""

    failed = serializers.IntegerField()
    ok = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    in_progress = serializers.IntegerField()
    gone = serializers.IntegerField(help_text="Archived, or removed by the hub.")
    is_repaired = serializers.BooleanField(
        help_text=f"None is FAILED or in progress; no for a group of {LOOKED_AT} messages or more."
    )


class GroupDetailSerializer(LastingGroupSerializer):
    known = serializers.SerializerMethodField(help_text="What the catalogue says of its code.")
    msg_ids = serializers.SerializerMethodField(help_text="The newest of its messages.")
    affected = serializers.SerializerMethodField(help_text=f"Objects of its newest {LOOKED_AT} messages.")
    outcome = serializers.SerializerMethodField(help_text=f"What its newest {LOOKED_AT} messages are now.")

    class Meta(LastingGroupSerializer.Meta):
        fields = (*LastingGroupSerializer.Meta.fields, "known", "msg_ids", "affected", "outcome")
        read_only_fields = fields

    def get_known(self, group: FailureGroup) -> dict | None:
        """Return the entry of the catalogue, null where there is none."""
        known = ErrorCode.objects.filter(pk=group.failed_error_code).first()
        return known and ErrorCodeSerializer(known).data

    def get_msg_ids(self, group: FailureGroup) -> list[int]:
        """Return ids of messages."""
        return queries.samples(group.pk)

    @extend_schema_field(AffectedSerializer(many=True))
    def get_affected(self, group: FailureGroup) -> list[dict[str, object]]:
        """Return objects, the one with most messages first."""
        return AffectedSerializer(queries.affected(group.pk), many=True).data

    @extend_schema_field(GroupOutcomeSerializer)
    def get_outcome(self, group: FailureGroup) -> dict[str, object]:
        """Return how many of its messages are in which state."""
        return GroupOutcomeSerializer(outcomes_of_groups([group.pk])[group.pk]).data


class MarkSerializer(StrictSerializer):
    state = StrictCharField(max_length=10, help_text=f"One of {', '.join(sorted(SAID_STATES))}.")
    snoozed_until = serializers.DateTimeField(required=False, help_text="With snoozed only.")
    expected_state = StrictCharField(
        max_length=10, required=False, help_text="Act only if the group is in this state, else 412."
    )
    reason = ReasonField()


class DescribeSerializer(StrictSerializer):
    owner = StrictCharField(max_length=150, allow_blank=True, required=False)
    ticket = StrictCharField(max_length=200, allow_blank=True, required=False)
    note = StrictCharField(max_length=MAX_NOTE, allow_blank=True, required=False)
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")
