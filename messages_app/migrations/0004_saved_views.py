from importlib import import_module

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

# The admins have a permission more, on a table that this migration makes.
write_roles = import_module("messages_app.migrations.0003_roles").write_roles


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0003_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("view_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=4000)),
                ("shared", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"db_table": "saved_view", "default_permissions": ("change",)},
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="uq_saved_view_owner_name"),
        ),
        migrations.AddIndex(
            model_name="savedview",
            index=models.Index(
                models.F("name"), condition=models.Q(("shared", True)), name="saved_view_shared_idx"
            ),
        ),
        migrations.CreateModel(
            name="ListPreference",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("columns", models.JSONField(default=list)),
                (
                    "density",
                    models.CharField(
                        choices=[("comfortable", "Comfortable"), ("compact", "Compact")],
                        default="comfortable",
                        max_length=11,
                    ),
                ),
            ],
            options={"db_table": "list_preference", "default_permissions": ()},
        ),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
