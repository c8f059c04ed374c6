"""Webhooks, their deliveries, the position in the history of messages, and the permission to change them."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import CASCADE, F, OrderBy, Q
from django.db.models.functions import Now

_EVENTS = [("job_ended", "job_ended"), ("messages_final", "messages_final")]


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0010_attachment")]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("webhook_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100, unique=True)),
                ("url", models.CharField(max_length=500)),
                ("event", models.CharField(choices=_EVENTS, max_length=20)),
                ("enabled", models.BooleanField(db_default=True, default=True)),
                ("kinds", ArrayField(models.CharField(max_length=20), default=list)),
                ("states", ArrayField(models.CharField(max_length=15), default=list)),
                ("filter", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("delivered_at", models.DateTimeField(editable=False, null=True)),
                (
                    "error",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=300),
                ),
                ("rests_until", models.DateTimeField(editable=False, null=True)),
            ],
            options={"db_table": "webhook", "default_permissions": ("change",)},
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("delivery_id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=CASCADE, related_name="deliveries", to="messages_app.webhook"
                    ),
                ),
                ("job", models.JSONField(null=True)),
                ("messages", models.IntegerField(db_default=0, default=0)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("attempts", models.IntegerField(db_default=0, default=0)),
                ("next_at", models.DateTimeField(db_default=Now(), null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, db_default="", default="", max_length=300)),
            ],
            options={
                "db_table": "webhook_delivery",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=Q(next_at__isnull=False),
                        fields=["next_at"],
                        name="webhook_delivery_due_idx",
                    ),
                    models.Index(
                        F("webhook"),
                        OrderBy(F("delivery_id"), descending=True),
                        name="webhook_delivery_list_idx",
                    ),
                    models.Index(fields=["created_at"], name="webhook_delivery_age_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookMessage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "delivery_id",
                        "event_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("delivery_id", models.BigIntegerField()),
                ("event_id", models.BigIntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("state", models.CharField(max_length=15)),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": "webhook_message",
                "default_permissions": (),
                "indexes": [models.Index(fields=["msg_id"], name="webhook_message_msg_idx")],
            },
        ),
        migrations.CreateModel(
            name="WebhookPosition",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("read_to", models.BigIntegerField(db_default=0)),
                ("safe_to", models.BigIntegerField(db_default=0)),
                ("mark_to", models.BigIntegerField(db_default=0)),
                ("mark_xid", models.BigIntegerField(db_default=0)),
            ],
            options={
                "db_table": "webhook_position",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=Q(("id", 1)), name="webhook_position_is_one")
                ],
            },
        ),
        # The position in the history of messages.
        migrations.RunSQL("INSERT INTO webhook_position (id) VALUES (1)", migrations.RunSQL.noop),
    ]
