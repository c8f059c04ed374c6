"""
The API of webhooks: list, create, retrieve, change, remove, and their deliveries.

Source: docs/contributing/spec/interfaces.md, "Webhooks".
"""

from collections.abc import Mapping

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ApiView, whole_list
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_ONE,
    READING_TAGGED,
    CodeField,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.lists.api import PAGING, page_answer, page_wanted
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import fetch_page
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import not_found
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictSerializer,
)
from messages_app.jobs.webhooks import services
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery

_NEWEST_FIRST = Order(column="delivery_id", key="delivery_id", descending=True)
_MAX_VALUES = 20
_NOUN = "webhook"


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    event = CodeField("WebhookEvent", WebhookEvent, read_only=True)
    filter = serializers.DictField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Webhook
        fields = (
            "webhook_id",
            "name",
            "url",
            "event",
            "enabled",
            "kinds",
            "states",
            "filter",
            "created_at",
            "delivered_at",
            "error",
            "rests_until",
        )
        read_only_fields = fields


class WebhookDeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    job_id = serializers.IntegerField(source="job.job_id", allow_null=True, default=None)

    class Meta:
        model = WebhookDelivery
        fields = (
            "delivery_id",
            "job_id",
            "messages",
            "created_at",
            "attempts",
            "next_at",
            "sent_at",
            "error",
        )
        read_only_fields = fields


def _names_field(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=30), max_length=_MAX_VALUES, required=False, help_text=help_text
    )


class WebhookChangesSerializer(StrictSerializer):
    """The columns of a webhook to change."""

    name = StrictCharField(max_length=100, required=False)
    url = StrictCharField(
        max_length=500, required=False, help_text="Its host must be in HUBCONSOLE_WEBHOOK_HOSTS."
    )
    event = StrictChoiceField(choices=[str(event) for event in WebhookEvent], required=False)
    enabled = StrictBooleanField(required=False)
    kinds = _names_field("For job_ended: only jobs of these kinds.")
    states = _names_field("For messages_final: only these final states.")
    filter = serializers.DictField(
        required=False, help_text="For messages_final: filters of the list by equality."
    )
    reason = ReasonField()


class NewWebhookSerializer(WebhookChangesSerializer):
    name = StrictCharField(max_length=100)
    url = StrictCharField(max_length=500, help_text="Its host must be in HUBCONSOLE_WEBHOOK_HOSTS.")
    event = StrictChoiceField(choices=[str(event) for event in WebhookEvent])


class WhyRemoveWebhookSerializer(StrictSerializer):
    reason = ReasonField()


class RemovedWebhookSerializer(serializers.Serializer[object]):
    webhook_id = serializers.IntegerField()
    removed = serializers.BooleanField()


class WebhookListView(ActingView):
    rights = {"GET": roles.CAN_CHANGE_WEBHOOKS, "POST": roles.CAN_CHANGE_WEBHOOKS}
    audited_as = "create_webhook"
    location = "webhooks/{webhook_id}/"

    @extend_schema(
        operation_id="webhooks_list", responses=describe_answers(200, page_of(WebhookSerializer), READING)
    )
    def get(self, request: Request) -> Response:
        """List the webhooks, by name."""
        return whole_list(represent_all(WebhookSerializer, Webhook.objects.order_by("name")))

    @extend_schema(
        request=NewWebhookSerializer,
        parameters=[IDEMPOTENCY],
        responses=describe_answers(201, WebhookSerializer, ACTING),
    )
    def post(self, request: Request) -> HttpResponse:
        """
        Store a webhook. It is called for jobs that end, or messages that reach a final state, from now on.
        """
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body = NewWebhookSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        hook = services.create_webhook(actor=actor_of(request), user=request.user, **body.validated_data)
        return Answer(201, represent_value(WebhookSerializer, hook))


class WebhookView(ActingView):
    http_method_names = ["get", "head", "options", "patch", "delete"]
    rights = dict.fromkeys(("GET", "PATCH", "DELETE"), roles.CAN_CHANGE_WEBHOOKS)
    moving = frozenset({"delivered_at", "error", "rests_until"})

    @property
    def audited_as(self) -> str:  # type: ignore[override]  # two methods change a webhook
        return "delete_webhook" if self.request.method == "DELETE" else "change_webhook"

    def locked_object(self, request: Request, webhook_id: str) -> Mapping[str, object]:
        return _read_webhook(Webhook.objects.select_for_update(no_key=True), webhook_id)

    @extend_schema(
        parameters=[IF_NONE_MATCH], responses=describe_answers(200, WebhookSerializer, READING_TAGGED)
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """Retrieve one webhook, with its last accepted delivery and its last error."""
        return Response(_read_webhook(Webhook.objects.all(), webhook_id))

    @extend_schema(
        request=WebhookChangesSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, WebhookSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, webhook_id: str) -> HttpResponse:
        """Change a webhook. While it is disabled, it is not called, and what happens is not kept for it."""
        return self.answer_once(request, webhook_id=webhook_id)

    @extend_schema(
        request=WhyRemoveWebhookSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, RemovedWebhookSerializer, ACTING_ON_ONE),
    )
    def delete(self, request: Request, webhook_id: str) -> HttpResponse:
        """Remove a webhook with its deliveries."""
        return self.answer_once(request, webhook_id=webhook_id)

    def act(self, request: Request, webhook_id: str) -> Answer:
        is_removal = request.method == "DELETE"
        body = (WhyRemoveWebhookSerializer if is_removal else WebhookChangesSerializer)(data=request.data)
        body.is_valid(raise_exception=True)
        key, actor = read_address_id(webhook_id, noun=_NOUN), actor_of(request)
        try:
            if is_removal:
                services.delete_webhook(webhook_id=key, actor=actor, **body.validated_data)
                return Answer(200, {"webhook_id": key, "removed": True})
            hook = services.change_webhook(
                webhook_id=key, actor=actor, user=request.user, **body.validated_data
            )
        except services.WebhookNotFound as error:
            raise not_found(str(error)) from None
        return Answer(200, represent_value(WebhookSerializer, hook))


class DeliveryListView(ApiView):
    rights = {"GET": roles.CAN_CHANGE_WEBHOOKS}
    parameters = PAGING

    @extend_schema(
        operation_id="webhooks_deliveries_list",
        parameters=paging_parameters(),
        responses=describe_answers(200, page_of(WebhookDeliverySerializer), READING_ONE),
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """List the deliveries of a webhook in the last 7 days, newest first."""
        key = read_addressed_row(Webhook.objects.all(), webhook_id, noun=_NOUN).pk
        rows, scope = WebhookDelivery.objects.filter(webhook_id=key), f"webhook {key}"
        page = fetch_page(rows, order=_NEWEST_FIRST, scope=scope, **page_wanted(request))
        return page_answer(request, page, represent_all(WebhookDeliverySerializer, page.rows))


def _read_webhook(hooks: QuerySet[Webhook], text: str) -> Mapping[str, object]:
    return represent_value(WebhookSerializer, read_addressed_row(hooks, text, noun=_NOUN))
