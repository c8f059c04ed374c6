"""Webhooks, their deliveries, and the position in the history of messages."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from messages_app.core.deliveries.attempts import SentRow
from messages_app.core.deliveries.formats import Format
from messages_app.core.plain_model import PlainModel
from messages_app.jobs.webhooks.events import WebhookEvent


class Webhook(models.Model):
    """
    An address that is called when a job has ended, or when messages have reached a final state.

    Empty kinds or states mean all of them.
    """

    webhook_id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=100, unique=True)
    url = models.CharField(max_length=500)
    format = models.CharField(max_length=10, default=Format.STANDARD, db_default=str(Format.STANDARD))
    event = models.CharField(max_length=20, choices=[(str(event), str(event)) for event in WebhookEvent])
    enabled = models.BooleanField(default=True, db_default=True)
    # Of jobs.
    kinds = ArrayField(models.CharField(max_length=20), default=list)
    # Of messages: final states, and a filter like that of the list.
    states = ArrayField(models.CharField(max_length=15), default=list)
    filter = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # The last accepted delivery. After a failure, the next attempt is at `rests_until`.
    delivered_at = models.DateTimeField(null=True, editable=False)
    error = models.CharField(max_length=300, blank=True, default="", db_default="", editable=False)
    rests_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "webhook"
        default_permissions = ("change",)

    def __str__(self) -> str:
        return self.name


class WebhookDelivery(SentRow):
    """One call of a webhook: the end of one job, or up to 500 messages. Sent at least once."""

    delivery_id = models.BigAutoField(primary_key=True)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    # The facts that are sent about a job. Messages have rows of their own.
    job = models.JSONField(null=True)
    messages = models.IntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "webhook_delivery"
        default_permissions = ()
        indexes = [
            # Taking the deliveries that are due.
            models.Index(
                fields=["next_at"], name="webhook_delivery_due_idx", condition=Q(next_at__isnull=False)
            ),
            # List: the deliveries of one webhook, newest first.
            models.Index(F("webhook"), F("delivery_id").desc(), name="webhook_delivery_list_idx"),
            # Retention.
            models.Index(fields=["created_at"], name="webhook_delivery_age_idx"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk} to webhook {self.webhook_id}"


class WebhookMessage(PlainModel):
    """A change of a message to a final state, in a delivery that was not sent yet."""

    pk = models.CompositePrimaryKey("delivery_id", "event_id")
    delivery_id = models.BigIntegerField()
    event_id = models.BigIntegerField()
    msg_id = models.BigIntegerField()
    state = models.CharField(max_length=15)
    at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "webhook_message"
        # Erasure of a subject.
        indexes = [models.Index(fields=["msg_id"], name="webhook_message_msg_idx")]


class WebhookPosition(PlainModel):
    """
    The position up to which the history of messages was read. One row.

    Transactions commit in another order than their rows have numbers. So `mark_to` is the last number at some
    time, and `mark_xid` the first transaction that began after it: when all earlier ones have ended, every
    row up to `mark_to` is visible, and it becomes `safe_to`.
    """

    id = models.SmallIntegerField(default=1, primary_key=True)
    read_to = models.BigIntegerField(db_default=0)
    safe_to = models.BigIntegerField(db_default=0)
    mark_to = models.BigIntegerField(db_default=0)
    mark_xid = models.BigIntegerField(db_default=0)

    class Meta(PlainModel.Meta):
        db_table = "webhook_position"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="webhook_position_is_one")]
