"""What the API says in its report of states: always one page. Source: spec/interfaces.md 5."""

from rest_framework import serializers

from messages_app.messages.code_fields import message_state
from messages_app.messages.reporting import stats


class MatrixRowSerializer(serializers.Serializer):
    service_name = serializers.CharField()
    operation_name = serializers.CharField()
    source_system = serializers.CharField()
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Messages by state; without the states that have none."
    )
    total = serializers.IntegerField()


class TotalSerializer(serializers.Serializer):
    state = message_state()
    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="false: an estimate of OK; of others, at least so many.")


class StatsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    previous = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    receive_timestamp_from = serializers.DateTimeField()
    receive_timestamp_to = serializers.DateTimeField()
    truncated = serializers.BooleanField(
        help_text=f"More than {stats.FENCE} messages or {stats.MAX_ROWS} rows: not all are in `results`."
    )
    counted_from = serializers.DateTimeField(help_text="The messages received from here on are counted.")
    results = MatrixRowSerializer(many=True)
    totals = TotalSerializer(many=True, help_text="All live messages by state, whenever received.")
