"""The API of watch rules and alerts."""

from collections.abc import Mapping
from typing import cast

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.api import ActingView, ApiView, whole_list
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_TAGGED,
    describe_answers,
    page_of,
)
from messages_app.core.deliveries.webhook_calls import mask_webhook
from messages_app.core.pages import MAX_REASON
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import bad_field, not_found
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.messages.alerts import selectors, services
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.alerts.states import Measure
from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views.services import view_of

_NOUN = "watch rule"
# The columns that users set.
_SETTABLE = (
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


class WatchRuleSerializer(serializers.ModelSerializer[WatchRule]):
    class Meta:
        model = WatchRule
        fields = ("rule_id", *_SETTABLE, "is_built_in", "told_at", "checked_at", "value", "error")
        read_only_fields = fields

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
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


class NewRuleSerializer(RuleChangesSerializer):
    name = StrictCharField(max_length=100)
    measure = StrictChoiceField(choices=list(Measure))
    limit = serializers.FloatField()


class AlertSerializer(serializers.ModelSerializer[Alert]):
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


_MAY_CHANGE = {"may_change": True}


def _read_changes(serializer: type[RuleChangesSerializer], request: Request) -> services.RuleChanges:
    """Return the columns and the reason in a body. Raises ValidationError or Problem: 400."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    changes = dict(body.validated_data)
    if "saved_view" in changes:
        changes["saved_view"] = _find_view(changes["saved_view"], request)
    return cast(services.RuleChanges, changes)


def _find_view(view_id: int, request: Request) -> SavedView:
    view = view_of(user_of(request), view_id)
    if view is None:
        raise bad_field(
            "saved_view", "invalid_value", "There is no such view among yours and the shared views."
        )
    return view


class WatchRuleListView(ActingView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES, "POST": roles.CAN_CHANGE_WATCH_RULES}
    audited_as = "create_watch_rule"
    location = "watch-rules/{rule_id}/"

    @extend_schema(
        operation_id="watch_rules_list",
        responses=describe_answers(200, page_of(WatchRuleSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List the rules with their last measured values, by name."""
        context = {"may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES)}
        rules = WatchRule.objects.order_by("name")
        return whole_list(WatchRuleSerializer(rules, many=True, context=context).data)

    @extend_schema(
        request=NewRuleSerializer,
        parameters=[IDEMPOTENCY],
        responses=describe_answers(201, WatchRuleSerializer, ACTING),
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a rule."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        rule = services.create_rule(actor=actor_of(request), **_read_changes(NewRuleSerializer, request))
        return Answer(201, WatchRuleSerializer(rule, context=_MAY_CHANGE).data)


class WatchRuleView(ActingView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES, "PATCH": roles.CAN_CHANGE_WATCH_RULES}
    audited_as = "change_watch_rule"
    moving = frozenset({"told_at", "checked_at", "value", "error"})

    def locked_object(self, request: Request, rule_id: str) -> Mapping[str, object]:
        return _read_rule(WatchRule.objects.select_for_update(no_key=True), rule_id)

    @extend_schema(
        parameters=[IF_NONE_MATCH], responses=describe_answers(200, WatchRuleSerializer, READING_TAGGED)
    )
    def get(self, request: Request, rule_id: str) -> Response:
        """Return one rule with its last measured value."""
        return Response(_read_rule(WatchRule.objects.all(), rule_id))

    @extend_schema(
        request=RuleChangesSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, WatchRuleSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, rule_id: str) -> HttpResponse:
        """Change a rule. Disabling it closes its open alert."""
        return self.answer_once(request, rule_id=rule_id)

    def act(self, request: Request, rule_id: str) -> Answer:
        changes = _read_changes(RuleChangesSerializer, request)
        key = read_address_id(rule_id, noun=_NOUN)
        try:
            rule = services.change_rule(rule_id=key, actor=actor_of(request), **changes)
        except services.RuleNotFound as error:
            raise not_found(str(error)) from None
        return Answer(200, WatchRuleSerializer(rule, context=_MAY_CHANGE).data)


def _read_rule(rules: QuerySet[WatchRule], text: str) -> Mapping[str, object]:
    return represent_value(WatchRuleSerializer, read_addressed_row(rules, text, noun=_NOUN))


class AlertListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(
        operation_id="alerts_list", responses=describe_answers(200, page_of(AlertSerializer), READING)
    )
    def get(self, request: Request) -> Response:
        """List the open alerts, newest first."""
        return whole_list(represent_all(AlertSerializer, selectors.open_alerts()))
