"""
The API of webhooks: list, create, retrieve, change, remove, and their deliveries.

Source: docs/contributing/spec/interfaces.md, "Webhooks".
"""

from collections.abc import Mapping
from functools import partial

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import whole_list
from messages_app.access.calls import Action
from messages_app.access.reads import Listing, Read
from messages_app.access.target_tests import declare_test, describe_test
from messages_app.audit.services import Actor
from messages_app.core.api_schema import CodeField, page_of
from messages_app.core.deliveries.formats import Format
from messages_app.core.etags import Tag
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import Page, fetch_page
from messages_app.core.parameters import read_address_id, read_addressed_row
from messages_app.core.problems import not_found, problems_for
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    ReasonField,
    RowSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictSerializer,
)
from messages_app.jobs.webhooks import services
from messages_app.jobs.webhooks.events import EVENTS, WebhookEvent
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery

_NEWEST_FIRST = Order(column="delivery_id", key="delivery_id", descending=True)
_MAX_VALUES = 20
_NOUN = "webhook"
_MEANINGS = " ".join(f"`{event.name}`: {event.when}" for event in EVENTS.values())


class WebhookSerializer(RowSerializer):
    event = CodeField("WebhookEvent", WebhookEvent, read_only=True)
    format = CodeField("WebhookFormat", Format, read_only=True)
    filter = serializers.DictField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Webhook
        fields = (
            "webhook_id",
            "name",
            "url",
            "format",
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


class WebhookDeliverySerializer(RowSerializer):
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
    format = StrictChoiceField(
        choices=services.WEBHOOK_FORMATS,
        required=False,
        help_text="Products for incidents are for watch rules, whose alerts open and close.",
    )
    event = StrictChoiceField(
        choices=[str(event) for event in WebhookEvent], required=False, help_text=_MEANINGS
    )
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
    event = StrictChoiceField(choices=[str(event) for event in WebhookEvent], help_text=_MEANINGS)


class WhyRemoveWebhookSerializer(StrictSerializer):
    reason = ReasonField()


class RemovedWebhookSerializer(serializers.Serializer[object]):
    webhook_id = serializers.IntegerField()
    removed = serializers.BooleanField()


def list_webhooks() -> Response:
    return whole_list(represent_all(WebhookSerializer, Webhook.objects.order_by("name")))


def read_webhook(*, webhook_id: int) -> Webhook:
    return _get_webhook(Webhook.objects.all(), webhook_id)


def remove_webhook(*, webhook_id: int, actor: Actor, reason: str) -> Mapping[str, object]:
    services.delete_webhook(webhook_id=webhook_id, actor=actor, reason=reason)
    return {"webhook_id": webhook_id, "removed": True}


def test_webhook(*, webhook_id: int, actor: Actor, reason: str) -> Mapping[str, object]:
    hook = read_webhook(webhook_id=webhook_id)
    return describe_test(services.send_test_of_webhook(hook, actor=actor, reason=reason))


def delivery_page(*, webhook_id: int, cursor: str | None, page_size: int) -> Page[WebhookDelivery]:
    key = read_webhook(webhook_id=webhook_id).pk
    rows, scope = WebhookDelivery.objects.filter(webhook_id=key), f"webhook {key}"
    return fetch_page(rows, order=_NEWEST_FIRST, scope=scope, cursor=cursor, page_size=page_size)


def _lock_webhook(*, webhook_id: int) -> Mapping[str, object]:
    hook = _get_webhook(Webhook.objects.select_for_update(no_key=True), webhook_id)
    return represent_value(WebhookSerializer, hook)


def _get_webhook(hooks: QuerySet[Webhook], webhook_id: int) -> Webhook:
    return read_addressed_row(hooks, str(webhook_id), noun=_NOUN)


def _webhook_id(text: str) -> int:
    return read_address_id(text, noun=_NOUN)


_WEBHOOK = Tag(lock=_lock_webhook, moving=frozenset({"delivered_at", "error", "rests_until"}))
_read = partial(Read, right=roles.CAN_CHANGE_WEBHOOKS)
_change = partial(
    Action,
    right=roles.CAN_CHANGE_WEBHOOKS,
    answer=WebhookSerializer,
    errors=problems_for({services.WebhookNotFound: lambda error: not_found(str(error))}),
)
_change_one = partial(_change, key=_webhook_id, tag=_WEBHOOK)

CALLS = [
    _read(
        "webhooks/",
        list_webhooks,
        name="Webhook List",
        answer=page_of(WebhookSerializer),
        operation_id="webhooks_list",
        description="List the webhooks, by name.",
    ),
    _change(
        "webhooks/",
        services.create_webhook,
        audited_as="create_webhook",
        body=NewWebhookSerializer,
        statuses=(201,),
        location="webhooks/{webhook_id}/",
        description=(
            "Store a webhook. It is called for jobs that end, or messages that reach a final state, from now"
            " on."
        ),
    ),
    _read(
        "webhooks/<str:webhook_id>/",
        read_webhook,
        name="Webhook",
        key=_webhook_id,
        answer=WebhookSerializer,
        tag=_WEBHOOK,
        description="Retrieve one webhook, with its last accepted delivery and its last error.",
    ),
    _change_one(
        "webhooks/<str:webhook_id>/",
        services.change_webhook,
        method="PATCH",
        audited_as="change_webhook",
        body=WebhookChangesSerializer,
        description=(
            "Change a webhook. While it is disabled, it is not called, and what happens is not kept for it."
        ),
    ),
    _change_one(
        "webhooks/<str:webhook_id>/",
        remove_webhook,
        method="DELETE",
        audited_as="delete_webhook",
        body=WhyRemoveWebhookSerializer,
        answer=RemovedWebhookSerializer,
        description="Remove a webhook with its deliveries.",
    ),
    declare_test(
        "webhooks/<str:webhook_id>/test/",
        test_webhook,
        right=roles.CAN_CHANGE_WEBHOOKS,
        key=_webhook_id,
        audited_as="test_webhook",
        operation_id="webhooks_test_create",
        description="Send a test to a webhook. The answer says whether the receiver accepted it.",
    ),
    Listing(
        "webhooks/<str:webhook_id>/deliveries/",
        delivery_page,
        name="Delivery List",
        right=roles.CAN_CHANGE_WEBHOOKS,
        key=_webhook_id,
        answer=WebhookDeliverySerializer,
        operation_id="webhooks_deliveries_list",
        description="List the deliveries of a webhook in the last 7 days, newest first.",
    ),
]
