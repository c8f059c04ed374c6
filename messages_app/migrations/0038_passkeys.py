"""Passkeys of users, and the challenges of their sessions (docs/reference/second_factor.md)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("messages_app", "0036_audit_stream"),
    ]

    operations = [
        migrations.CreateModel(
            name="Passkey",
            fields=[
                ("passkey_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("host", models.CharField(max_length=253)),
                ("credential_id", models.BinaryField(unique=True)),
                ("credential", models.BinaryField()),
                ("sign_count", models.BigIntegerField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("last_used_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passkeys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"db_table": "passkey", "abstract": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="PasskeyChallenge",
            fields=[
                ("challenge", models.BinaryField(primary_key=True, serialize=False)),
                ("session_sha256", models.CharField(max_length=64)),
                ("purpose", models.CharField(max_length=10)),
                ("ends_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "passkey_challenge",
                "abstract": False,
                "default_permissions": (),
                "indexes": [models.Index("ends_at", name="passkey_challenge_end_idx")],
            },
        ),
    ]
