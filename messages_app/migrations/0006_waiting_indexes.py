"""Indexes for what waits: funnels, guaranteed orders and parents, each over the few messages that matter."""

from django.db import migrations, models
from django.db.models import Q

NOT_BYGONE = ~Q(state__in=["CANCEL", "OK"])


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0005_list_indexes")]

    operations = [
        migrations.AddIndex(
            "message",
            models.Index(
                models.F("funnel_value"),
                models.F("state"),
                models.F("msg_timestamp"),
                models.F("msg_id"),
                name="message_open_value_idx",
                condition=Q(funnel_value__isnull=False) & NOT_BYGONE,
            ),
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                models.F("funnel_component_id"),
                models.F("state"),
                models.F("msg_timestamp"),
                models.F("msg_id"),
                name="message_open_component_idx",
                condition=Q(funnel_component_id__isnull=False) & NOT_BYGONE,
            ),
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                models.F("msg_timestamp"),
                models.F("msg_id"),
                name="message_open_order_idx",
                condition=Q(guaranteed_order=True) & NOT_BYGONE,
            ),
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                models.F("parent_msg_id"),
                models.F("state"),
                models.F("msg_id"),
                name="message_open_child_idx",
                condition=Q(parent_msg_id__isnull=False) & ~Q(state="OK"),
            ),
        ),
    ]
