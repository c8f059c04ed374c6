"""Indexes of the list: the state beside the time, for the histogram, and the archive's own."""

from django.db import migrations, models
from django.db.models import F, Q


def _with_state(model: str, name: str, *columns: str) -> list:
    """Put the state into an index that is there already."""
    index = models.Index(fields=columns, include=["state"], name=name)
    return [migrations.RemoveIndex(model, name), migrations.AddIndex(model, index)]


def _newest_first(column: str, name: str) -> migrations.AddIndex:
    index = models.Index(F(column), F("msg_id"), name=name, condition=Q(**{f"{column}__isnull": False}))
    return migrations.AddIndex("archivemessage", index)


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0004_saved_views")]

    operations = [
        *_with_state("message", "message_received_idx", "receive_timestamp", "msg_id"),
        *_with_state(
            "message", "message_service_received_idx", "service_name", "receive_timestamp", "msg_id"
        ),
        *_with_state("archivemessage", "archive_message_received_idx", "receive_timestamp", "msg_id"),
        migrations.AddIndex(
            "archivemessage",
            models.Index(F("state"), F("msg_id"), name="archive_message_state_idx", condition=~Q(state="OK")),
        ),
        _newest_first("failed_error_code", "archive_message_error_idx"),
        _newest_first("process_id", "archive_message_process_idx"),
        _newest_first("object_id", "archive_message_object_idx"),
        migrations.AddIndex(
            "archivemessage",
            models.Index(
                F("parent_msg_id"),
                name="archive_failed_child_idx",
                condition=Q(parent_msg_id__isnull=False) & Q(state__in=["FAILED", "PARTLY_FAILED"]),
            ),
        ),
        migrations.AddIndex(
            "archivefunnel",
            models.Index(F("funnel_value"), F("msg_id"), name="archive_funnel_value_idx"),
        ),
    ]
