"""Notes on messages, incidents, jobs and shifts, which replace the one note of an incident."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

# The author of a present note is in the audit log.
_MOVE_NOTES = """
INSERT INTO note (kind, subject, author, text, at)
SELECT 'incident', incident_id, coalesce(entry.actor, 'unknown'), note, coalesce(entry.at, now())
  FROM incident
  LEFT JOIN LATERAL (
       SELECT actor, at
         FROM audit_entry
        WHERE subject_kind = 'incident' AND subject = incident_id::text AND action = 'note_incident'
        ORDER BY entry_id DESC
        LIMIT 1) AS entry ON true
 WHERE note <> ''
"""


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0028_person_settings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Note",
            fields=[
                ("note_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=10)),
                ("subject", models.BigIntegerField()),
                ("author", models.CharField(max_length=150)),
                ("text", models.TextField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "note",
                "abstract": False,
                "default_permissions": (),
                "indexes": [models.Index(fields=["kind", "subject", "at"], name="note_subject_idx")],
            },
        ),
        migrations.CreateModel(
            name="NoteMention",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "note_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "note",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to="messages_app.note",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"db_table": "note_mention", "abstract": False, "default_permissions": ()},
        ),
        migrations.RunSQL(_MOVE_NOTES, migrations.RunSQL.noop),
        migrations.RemoveField(model_name="incident", name="note"),
    ]
