"""What the API says in its reports: always one page, so without neighbours. Source: spec/interfaces.md 5."""

from rest_framework import serializers

from messages_app.grouping.groups import SAMPLES
from messages_app.messages.reporting import failure_groups, stats


class _ReportSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    previous = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    receive_timestamp_from = serializers.DateTimeField()
    receive_timestamp_to = serializers.DateTimeField()


class FailureGroupSerializer(serializers.Serializer):
    service_name = serializers.CharField(source="key.service_name")
    failed_error_code = serializers.CharField(source="key.failed_error_code", allow_null=True)
    summary = serializers.CharField(
        help_text="First line of the error; numbers, ids, times and quoted texts stand as <n>, <id>, ..."
    )
    example = serializers.CharField(help_text="The first line as the newest message has it.")
    count = serializers.IntegerField()
    first_timestamp = serializers.DateTimeField(source="first_at", help_text="Receipt of the oldest.")
    last_timestamp = serializers.DateTimeField(source="last_at", help_text="Receipt of the newest.")
    msg_ids = serializers.ListField(
        source="ids", child=serializers.IntegerField(), help_text=f"The newest, at most {SAMPLES}."
    )


class FailureGroupsSerializer(_ReportSerializer):
    truncated = serializers.BooleanField(
        help_text=(
            f"Only the newest {failure_groups.FENCE} failures of the range were read, or only the "
            f"{failure_groups.MAX_GROUPS} largest groups are given."
        )
    )
    results = FailureGroupSerializer(many=True)


class MatrixRowSerializer(serializers.Serializer):
    service_name = serializers.CharField()
    operation_name = serializers.CharField()
    source_system = serializers.CharField()
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Messages by state; without the states that have none."
    )
    total = serializers.IntegerField()


class TotalSerializer(serializers.Serializer):
    state = serializers.CharField()
    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="false: an estimate of OK; of others, at least so many.")


class StatsSerializer(_ReportSerializer):
    truncated = serializers.BooleanField(
        help_text=f"More than {stats.FENCE} messages or {stats.MAX_ROWS} rows: not all are in `results`."
    )
    counted_from = serializers.DateTimeField(help_text="The messages received from here on are counted.")
    results = MatrixRowSerializer(many=True)
    totals = TotalSerializer(many=True, help_text="All live messages by state, whenever received.")
