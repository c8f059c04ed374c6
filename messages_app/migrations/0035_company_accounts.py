"""Users of identity providers, and the roles of their groups (docs/howto/company_accounts.md)."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("messages_app", "0034_erased_values"),
    ]

    operations = [
        migrations.AddField(
            model_name="usersession",
            name="provider_session",
            field=models.CharField(db_default="", default="", max_length=255),
        ),
        migrations.CreateModel(
            name="ProviderAccount",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="provider_account",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                (
                    "groups",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=255), default=list, size=None
                    ),
                ),
                ("last_log_in_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "provider_account",
                "abstract": False,
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(fields=("issuer", "subject"), name="uq_provider_account")
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupMapping",
            fields=[
                ("mapping_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("issuer", models.CharField(max_length=255)),
                ("group_name", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "role",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="auth.group"
                    ),
                ),
            ],
            options={
                "db_table": "group_mapping",
                "abstract": False,
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(fields=("issuer", "group_name", "role"), name="uq_group_mapping")
                ],
            },
        ),
    ]
