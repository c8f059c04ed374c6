from django.db import migrations, models

# The mark is on the message as it is: whatever moves it on, also a hub's own worker, takes it away.
_LIFTED = """
CREATE FUNCTION message_line_unmuted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.muted_at = NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER message_line_moved BEFORE UPDATE OF status ON message_line
  FOR EACH ROW WHEN (OLD.muted_at IS NOT NULL AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION message_line_unmuted();
"""
_BACK = """
DROP TRIGGER message_line_moved ON message_line;
DROP FUNCTION message_line_unmuted();
"""

_NOT_MUTED = models.Q(muted_at=None)
_FRESH, _DUE, _ERROR = "message_line_fresh_idx", "message_line_due_idx", "message_line_error_idx"


def _anew(name: str, *columns: str, condition: models.Q) -> list[migrations.operations.base.Operation]:
    """Return the operations that make an index of what is not muted of one that knew no such mark."""
    index = models.Index(*columns, name=name, condition=condition & _NOT_MUTED)
    return [
        migrations.RemoveIndex(model_name="messageline", name=name),
        migrations.AddIndex(model_name="messageline", index=index),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0018_cp_queue"),
    ]

    operations = [
        migrations.AddField("messageline", "muted_at", models.DateTimeField(null=True)),
        *_anew(_FRESH, "message_timestamp", "message_identifier", condition=models.Q(status=0)),
        *_anew(_DUE, "next_attempt_timestamp", condition=models.Q(status=2)),
        *_anew(_ERROR, "message_timestamp", "number", condition=models.Q(status__gte=20)),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                "message_timestamp",
                "number",
                name="message_line_muted_idx",
                condition=models.Q(muted_at__isnull=False),
            ),
        ),
        migrations.RunSQL(_LIFTED, _BACK),
        migrations.CreateModel(
            name="StoreTimeout",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "hour", "status", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("hour", models.DateTimeField()),
                ("status", models.IntegerField()),
                ("fired", models.IntegerField()),
            ],
            options={"db_table": "store_timeout", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="StoreSetting",
            fields=[
                (
                    "name",
                    models.CharField(db_collation="C", max_length=100, primary_key=True, serialize=False),
                ),
                ("value", models.FloatField()),
            ],
            options={"db_table": "store_setting", "default_permissions": ()},
        ),
    ]
