from django.db import migrations, models
from django.db.models import Q


def _of_column(model: str, column: str, name: str) -> migrations.AddIndex:
    """Return the index by which rows of a subject are found, with those that have a value alone."""
    present = Q(**{f"{column}__isnull": False})
    return migrations.AddIndex(model, models.Index(column, "msg_id", name=name, condition=present))


class Migration(migrations.Migration):
    """Indexes by which `erase_subject` finds rows. Source: docs/decisions/0017-subject-erasure.md."""

    dependencies = [("messages_app", "0031_old_minutes")]

    operations = [
        _of_column("archivemessage", "funnel_value", "archive_message_funnel_idx"),
        _of_column("coldmessage", "process_id", "cold_message_process_idx"),
        _of_column("coldmessage", "object_id", "cold_message_object_idx"),
        _of_column("coldmessage", "funnel_value", "cold_message_funnel_idx"),
        migrations.AddIndex(
            "documentindoubt", models.Index("identifier", name="document_in_doubt_ident_idx")
        ),
        migrations.AddIndex("documentoutcome", models.Index("identifier", name="document_outcome_ident_idx")),
    ]
