"""What the API's lists say of external calls, requests and responses. Source: spec/interfaces.md 5."""

from rest_framework import serializers

from messages_app.messages.models import ExternalCall, Request, Response

_SIZE = "Size of the text in UTF-8; null: nothing stored. The message's page shows the text."


class _RowSerializer(serializers.ModelSerializer):
    archived = serializers.BooleanField()


class ExternalCallSerializer(_RowSerializer):
    class Meta:
        model = ExternalCall
        fields = (
            "call_id",
            "msg_id",
            "operation_name",
            "state",
            "entity_id",
            "msg_timestamp",
            "creation_timestamp",
            "last_update_timestamp",
            "failed_count",
            "archived",
        )
        read_only_fields = fields


class RequestSerializer(_RowSerializer):
    req_envelope_bytes = serializers.IntegerField(help_text=_SIZE)

    class Meta:
        model = Request
        fields = (
            "req_id",
            "msg_id",
            "res_join_id",
            "uri",
            "req_timestamp",
            "req_envelope_bytes",
            "archived",
        )
        read_only_fields = fields


class ResponseSerializer(_RowSerializer):
    res_envelope_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)
    failed_reason_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)

    class Meta:
        model = Response
        fields = (
            "res_id",
            "req_id",
            "msg_id",
            "res_timestamp",
            "failed",
            "res_envelope_bytes",
            "failed_reason_bytes",
            "archived",
        )
        read_only_fields = fields
