"""
Serializers for the API's lists of external calls, requests and responses.

Source: docs/spec/interfaces.md, "Messages".
"""

from rest_framework import serializers

from messages_app.messages.models import ExternalCall, Request, Response
from messages_app.messages.tables import external_call_state
from messages_app.payloads.loader import ContentSerializer

_SIZE = "Size of the text in UTF-8 bytes; null if nothing is stored."

_CONTENT = ("content", "content_type", "bytes", "masked")


class _RowSerializer(serializers.ModelSerializer):
    archived = serializers.BooleanField()


_ADDRESS = "Credentials are always masked: user information and parameter values."


class ExternalCallSerializer(_RowSerializer):
    state = external_call_state(read_only=True)
    operation_name = serializers.CharField(source="shown_operation", help_text=_ADDRESS)

    class Meta:
        model = ExternalCall
        fields: tuple[str, ...] = (
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
        read_only_fields: tuple[str, ...] = fields


class RequestSerializer(_RowSerializer):
    uri = serializers.CharField(source="shown_uri", help_text=_ADDRESS)
    req_envelope_bytes = serializers.IntegerField(help_text=_SIZE)

    class Meta:
        model = Request
        fields: tuple[str, ...] = (
            "req_id",
            "msg_id",
            "res_join_id",
            "uri",
            "req_timestamp",
            "req_envelope_bytes",
            "archived",
        )
        read_only_fields: tuple[str, ...] = fields


class ResponseSerializer(_RowSerializer):
    res_envelope_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)
    failed_reason_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)

    class Meta:
        model = Response
        fields: tuple[str, ...] = (
            "res_id",
            "req_id",
            "msg_id",
            "res_timestamp",
            "failed",
            "res_envelope_bytes",
            "failed_reason_bytes",
            "archived",
        )
        read_only_fields: tuple[str, ...] = fields


class RequestDetailSerializer(RequestSerializer, ContentSerializer):
    class Meta(RequestSerializer.Meta):
        fields = (*RequestSerializer.Meta.fields, *_CONTENT)
        read_only_fields: tuple[str, ...] = fields


class ResponseDetailSerializer(ResponseSerializer, ContentSerializer):
    failed_reason = serializers.CharField(allow_null=True)

    class Meta(ResponseSerializer.Meta):
        fields = (*ResponseSerializer.Meta.fields, "failed_reason", *_CONTENT)
        read_only_fields = fields
