"""The API of watch rules and alerts."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.api import whole_list
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Read
from messages_app.access.target_tests import declare_test, describe_test
from messages_app.audit.services import Actor
from messages_app.core.api_schema import CodeField, page_of
from messages_app.core.deliveries.formats import Format
from messages_app.core.deliveries.webhook_calls import mask_webhook
from messages_app.core.etags import Tag
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import bad_field, not_found, problems_for
from messages_app.core.reason_form import MAX_REASON
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    RowSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.messages.alerts import selectors, services
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.states import Measure
from messages_app.messages.listing.saved_views.services import view_of

_NOUN = "watch rule"


class WatchRuleSerializer(RowSerializer):
    webhook_format = CodeField("WebhookFormat", Format, read_only=True)
    version = serializers.SerializerMethodField(
        help_text="Another one after each change, also of the address and the key, which are not shown."
    )

    class Meta:
        model = WatchRule
        fields = (
            "rule_id",
            *services.SHOWN,
            "version",
            "is_built_in",
            "told_at",
            "checked_at",
            "value",
            "error",
        )

    def get_version(self, rule: WatchRule) -> str:
        """Return a digest under a key of the console: secrets of the rule cannot be tried against it."""
        return salted_hmac("watch-rule", services.read_version(rule), algorithm="sha256").hexdigest()[:16]

    def to_representation(self, rule: WatchRule) -> dict[str, object]:
        """Mask the path of the webhook, which is often a secret, unless the user may change rules."""
        body = super().to_representation(rule)
        if not self.context.get("may_change"):
            body["webhook_url"] = mask_webhook(rule.webhook_url)
        return body


def _condition_field(max_length: int) -> StrictCharField:
    """Return the field of a value that messages must have, which is compared as it is."""
    return StrictCharField(max_length=max_length, allow_blank=True, trim_whitespace=False, required=False)


class RuleChangesSerializer(StrictSerializer):
    """The columns of a rule to change."""

    name = StrictCharField(max_length=100, required=False)
    enabled = StrictBooleanField(required=False)
    measure = StrictChoiceField(choices=list(Measure), required=False)
    saved_view = StrictIntegerField(
        required=False, help_text="The id of one of your views or of a shared view."
    )
    state = StrictCharField(max_length=15, allow_blank=True, required=False)
    service_name = _condition_field(30)
    operation_name = _condition_field(100)
    source_system = _condition_field(15)
    failed_error_code = _condition_field(5)
    window_minutes = StrictIntegerField(required=False)
    older_than_seconds = StrictIntegerField(required=False)
    at_least = StrictIntegerField(required=False)
    limit = serializers.FloatField(required=False)
    quiet_minutes = StrictIntegerField(required=False)
    mail_to = serializers.ListField(child=StrictCharField(max_length=254), required=False)
    webhook_url = StrictCharField(max_length=500, allow_blank=True, required=False)
    webhook_format = StrictChoiceField(choices=[str(each) for each in Format], required=False)
    webhook_key = StrictCharField(
        max_length=200,
        allow_blank=True,
        required=False,
        help_text=(
            "The routing key of PagerDuty or the API key of Opsgenie. It is never returned. Another format"
            " or host needs it again."
        ),
    )
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


class NewRuleSerializer(RuleChangesSerializer):
    name = StrictCharField(max_length=100)
    measure = StrictChoiceField(choices=list(Measure))
    limit = serializers.FloatField()


class AlertSerializer(RowSerializer):
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


_MAY_CHANGE = {"may_change": True}


def list_rules(request: Request) -> Response:
    context = {"may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES)}
    rules = WatchRule.objects.order_by("name")
    return whole_list(WatchRuleSerializer(rules, many=True, context=context).data)


def list_alerts() -> Response:
    return whole_list(represent_all(AlertSerializer, selectors.open_alerts()))


def store_rule(*, request: Request, actor: Actor, **changes: Any) -> Answer:
    rule = services.create_rule(actor=actor, **_with_view(changes, request))
    return Answer(201, WatchRuleSerializer(rule, context=_MAY_CHANGE).data)


def change_rule(*, rule_id: int, request: Request, actor: Actor, **changes: Any) -> Answer:
    rule = services.change_rule(rule_id=rule_id, actor=actor, **_with_view(changes, request))
    return Answer(200, WatchRuleSerializer(rule, context=_MAY_CHANGE).data)


def _with_view(changes: dict[str, Any], request: Request) -> services.RuleChanges:
    """Return the changes with the saved view instead of its id. Raises Problem: 400."""
    if "saved_view" in changes:
        view = view_of(user_of(request), changes["saved_view"])
        if view is None:
            text = "There is no such view among yours and the shared views."
            raise bad_field("saved_view", "invalid_value", text)
        changes = changes | {"saved_view": view}
    return cast(services.RuleChanges, changes)


def read_rule(*, rule_id: int) -> WatchRule:
    return _get_rule(WatchRule.objects.all(), rule_id)


def test_rule(*, rule_id: int, actor: Actor, reason: str) -> Mapping[str, object]:
    rule = read_rule(rule_id=rule_id)
    return describe_test(services.send_test_of_rule(rule, actor=actor, reason=reason))


def _lock_rule(*, rule_id: int) -> Mapping[str, object]:
    rule = _get_rule(WatchRule.objects.select_for_update(no_key=True), rule_id)
    return represent_value(WatchRuleSerializer, rule)


def _get_rule(rules: QuerySet[WatchRule], rule_id: int) -> WatchRule:
    return read_addressed_row(rules, str(rule_id), noun=_NOUN)


def _rule_id(text: str) -> int:
    return read_address_id(text, noun=_NOUN)


# The address is masked for some callers; the version changes with it.
_RULE = Tag(lock=_lock_rule, moving=frozenset({"webhook_url", "told_at", "checked_at", "value", "error"}))
_read = partial(Read, right=roles.CAN_VIEW_MESSAGES)
_errors = problems_for({services.RuleNotFound: lambda error: not_found(str(error))})
_change = partial(Action, right=roles.CAN_CHANGE_WATCH_RULES, answer=WatchRuleSerializer, errors=_errors)

CALLS = [
    _read(
        "alerts/",
        list_alerts,
        name="Alert List",
        answer=page_of(AlertSerializer),
        operation_id="alerts_list",
        description="List the open alerts, newest first.",
    ),
    _read(
        "watch-rules/",
        list_rules,
        name="Watch Rule List",
        answer=page_of(WatchRuleSerializer),
        operation_id="watch_rules_list",
        description="List the rules with their last measured values, by name.",
    ),
    _change(
        "watch-rules/",
        store_rule,
        audited_as="create_watch_rule",
        body=NewRuleSerializer,
        statuses=(201,),
        location="watch-rules/{rule_id}/",
        description="Store a rule.",
    ),
    _read(
        "watch-rules/<str:rule_id>/",
        read_rule,
        name="Watch Rule",
        key=_rule_id,
        answer=WatchRuleSerializer,
        tag=_RULE,
        description="Return one rule with its last measured value.",
    ),
    _change(
        "watch-rules/<str:rule_id>/",
        change_rule,
        method="PATCH",
        key=_rule_id,
        audited_as="change_watch_rule",
        body=RuleChangesSerializer,
        tag=_RULE,
        description="Change a rule. Disabling it closes its open alert.",
    ),
    declare_test(
        "watch-rules/<str:rule_id>/test/",
        test_rule,
        right=roles.CAN_CHANGE_WATCH_RULES,
        key=_rule_id,
        audited_as="test_watch_rule",
        errors=_errors,
        operation_id="watch_rules_test_create",
        description=(
            "Send a test to the webhook of a rule. The answer says whether the receiver accepted it; an"
            " incident that it opens is closed immediately. 404: the rule has no webhook."
        ),
    ),
]
