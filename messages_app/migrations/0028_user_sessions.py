"""Sessions in a table of the console's own; those of before end: everybody logs in once more."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0027_store_scan"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="UserSession",
            fields=[
                ("session_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("key_sha256", models.CharField(max_length=64, unique=True)),
                ("data", models.TextField()),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("password_digest", models.CharField(max_length=128)),
                ("began_at", models.DateTimeField(db_default=Now())),
                ("last_used_at", models.DateTimeField(db_default=Now())),
                ("ends_at", models.DateTimeField()),
                ("address", models.GenericIPAddressField(null=True)),
                ("browser", models.CharField(max_length=300)),
            ],
            options={
                "db_table": "user_session",
                "default_permissions": (),
                "indexes": [models.Index("ends_at", name="user_session_end_idx")],
            },
        ),
        # Django's own, which is no longer used: it has the keys of sessions as they are.
        migrations.RunSQL("DROP TABLE IF EXISTS django_session", migrations.RunSQL.noop),
        migrations.RunSQL("DELETE FROM django_migrations WHERE app = 'sessions'", migrations.RunSQL.noop),
    ]
