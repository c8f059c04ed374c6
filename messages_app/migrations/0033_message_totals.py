"""The number of live messages by their facets, and an index for the messages that failed at a system."""

from django.db import migrations, models

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0032_pinned_objects")]

    operations = [
        migrations.CreateModel(
            name="MessageTotal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "state",
                        "service_name",
                        "operation_name",
                        "source_system",
                        "failed_error_code",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("state", models.CharField(max_length=15)),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("source_system", models.CharField(max_length=15)),
                ("failed_error_code", models.CharField(max_length=5)),
                ("present", models.BigIntegerField()),
            ],
            options={"db_table": "message_total", "abstract": False, "default_permissions": ()},
        ),
        run_sql("message_totals"),
        migrations.AddIndex(
            model_name="failurecell",
            index=models.Index(
                fields=["external_system"],
                name="failure_cell_system_idx",
                condition=~models.Q(external_system=""),
            ),
        ),
    ]
