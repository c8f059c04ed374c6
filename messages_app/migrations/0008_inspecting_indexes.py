"""The index of a message's children gets their states, so that they are counted without reading the rows."""

from django.db import migrations, models
from django.db.models import Q


def _with_state(model: str, name: str) -> list:
    index = models.Index(
        fields=["parent_msg_id", "msg_id"],
        include=["state"],
        name=name,
        condition=Q(parent_msg_id__isnull=False),
    )
    return [migrations.RemoveIndex(model, name), migrations.AddIndex(model, index)]


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0007_lists_of_calls")]

    operations = [
        *_with_state("message", "message_parent_idx"),
        *_with_state("archivemessage", "archive_message_parent_idx"),
    ]
