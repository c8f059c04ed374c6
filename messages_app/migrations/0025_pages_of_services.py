"""Owners and targets of services and systems, and indexes for their pages."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0024_managing_users"),
    ]

    operations = [
        migrations.CreateModel(
            name="Profile",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "kind", "name", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=10)),
                ("name", models.CharField(max_length=200)),
                ("owner", models.CharField(blank=True, default="", max_length=150)),
                ("runbook", models.CharField(blank=True, default="", max_length=500)),
                ("within_seconds", models.IntegerField(null=True)),
                ("within_step", models.SmallIntegerField(null=True)),
                ("within_share", models.FloatField(null=True)),
                ("failed_share", models.FloatField(null=True)),
                ("version", models.IntegerField()),
                ("changed_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "participant_profile",
                "abstract": False,
                "default_permissions": (),
            },
        ),
        migrations.RemoveField(
            model_name="callpass",
            name="started_at",
        ),
        migrations.AddIndex(
            model_name="messagerollup",
            index=models.Index(fields=["service_name", "minute"], name="message_rollup_service_idx"),
        ),
        migrations.AddIndex(
            model_name="messagetook",
            index=models.Index(fields=["service_name", "minute"], name="message_took_service_idx"),
        ),
    ]
