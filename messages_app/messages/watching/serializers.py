"""Watch rules and alerts as the API has them."""

from rest_framework import serializers

from messages_app.messages.watching.models import Alert, WatchRule
from messages_app.messages.watching.states import Measure
from messages_app.messages.watching.webhook import masked_webhook
from messages_app.web.reasons import MAX_REASON
from messages_app.web.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)

_SET = (
    "name",
    "enabled",
    "measure",
    "state",
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    "saved_view",
    "window_minutes",
    "older_than_seconds",
    "at_least",
    "limit",
    "quiet_minutes",
    "mail_to",
    "webhook_url",
)


class WatchRuleSerializer(serializers.ModelSerializer):
    class Meta:
        model = WatchRule
        fields = ("rule_id", *_SET, "is_built_in", "told_at", "checked_at", "value", "error")
        read_only_fields = fields

    def to_representation(self, rule: WatchRule) -> dict[str, object]:
        """Mask the path of the webhook, which often is its password, unless the reader may change rules."""
        body = super().to_representation(rule)
        if not self.context.get("may_change"):
            body["webhook_url"] = masked_webhook(rule.webhook_url)
        return body


class RuleChangesSerializer(StrictSerializer):
    """What a rule may be changed to."""

    name = StrictCharField(max_length=100, required=False)
    enabled = StrictBooleanField(required=False)
    measure = StrictChoiceField(choices=list(Measure), required=False)
    saved_view = StrictIntegerField(
        required=False, help_text="The id of a view of yours, or of one that is shared."
    )
    state = StrictCharField(max_length=15, allow_blank=True, required=False)
    service_name = StrictCharField(max_length=30, allow_blank=True, required=False)
    operation_name = StrictCharField(max_length=100, allow_blank=True, required=False)
    source_system = StrictCharField(max_length=15, allow_blank=True, required=False)
    failed_error_code = StrictCharField(max_length=5, allow_blank=True, required=False)
    window_minutes = StrictIntegerField(required=False)
    older_than_seconds = StrictIntegerField(required=False)
    at_least = StrictIntegerField(required=False)
    limit = serializers.FloatField(required=False)
    quiet_minutes = StrictIntegerField(required=False)
    mail_to = serializers.ListField(child=StrictCharField(max_length=254), required=False)
    webhook_url = StrictCharField(max_length=500, allow_blank=True, required=False)
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


class NewRuleSerializer(RuleChangesSerializer):
    name = StrictCharField(max_length=100)
    measure = StrictChoiceField(choices=list(Measure))
    limit = serializers.FloatField()


class AlertSerializer(serializers.ModelSerializer):
    rule_name = serializers.CharField(source="rule.name")

    class Meta:
        model = Alert
        fields = (
            "alert_id",
            "rule_id",
            "rule_name",
            "opened_at",
            "closed_at",
            "value",
            "worst",
            "is_quiet",
        )
        read_only_fields = fields
