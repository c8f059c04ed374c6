"""Recovery codes as digests (docs/reference/second_factor.md). Earlier codes, in clear text, do not count."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("messages_app", "0039_webhook_formats"),
    ]

    operations = [
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("recovery_code_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("code_sha256", models.CharField(max_length=64)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recovery_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"db_table": "recovery_code", "abstract": False, "default_permissions": ()},
        ),
    ]
