"""What the API says of documents in doubt, and what it takes. Source: spec/interfaces.md 7."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.document_history.api.serializers import trigger_id_field, without_missing_token
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.states import InDoubtState, Rule, Verdict
from messages_app.web.codes import CodeField
from messages_app.web.serializers import StrictSerializer


class InDoubtSerializer(serializers.ModelSerializer):
    """A document in doubt; its content is on its page alone."""

    state = CodeField("InDoubtState", InDoubtState, read_only=True)
    rule = CodeField("DetectionRule", Rule, is_open=True, read_only=True)

    class Meta:
        model = DocumentInDoubt
        fields = (
            "in_doubt_id",
            "trigger_id",
            "document_uuid",
            "identifier",
            "document_name",
            "redelivery_count",
            "rule",
            "message",
            "deliveries",
            "received_at",
            "last_received_at",
            "state",
            "resolved_at",
            "resolved_by",
            "reason",
            "taken_at",
            "taken_by",
        )
        read_only_fields = fields


class ResubmittedSerializer(serializers.Serializer):
    """What is to be processed now, past the detection of duplicates; all null where there is nothing."""

    status = serializers.SerializerMethodField()
    uuid = serializers.SerializerMethodField()
    token = serializers.CharField(required=False, help_text="Complete with it; absent: nothing to complete.")
    in_doubt = InDoubtSerializer(source="line")

    @extend_schema_field(CodeField("Verdict", Verdict))
    def get_status(self, _: object) -> str:
        return str(Verdict.NEW)

    def get_uuid(self, resubmitted: object) -> str | None:
        return resubmitted.line.document_uuid or None

    def to_representation(self, instance: object) -> dict[str, object]:
        return without_missing_token(super().to_representation(instance))


class TakeSerializer(StrictSerializer):
    trigger_id = trigger_id_field()


class TakenSerializer(ResubmittedSerializer):
    """What is to be processed now; every field is null where no resubmitted document waits."""

    in_doubt = InDoubtSerializer(source="line", allow_null=True)
    document_name = serializers.CharField(source="line.document_name", allow_null=True)
    document = serializers.JSONField(source="line.document", allow_null=True)

    @extend_schema_field(CodeField("Verdict", Verdict, allow_null=True))
    def get_status(self, _: object) -> str | None:
        return str(Verdict.NEW)

    def to_representation(self, instance: object | None) -> dict[str, object]:
        if instance is None:
            return dict.fromkeys(name for name in self.fields if name != "token")
        return super().to_representation(instance)
