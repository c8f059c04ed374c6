import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0013_jobs_more"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="JobSchedule",
            fields=[
                ("schedule_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("filter", models.JSONField(default=dict)),
                ("options", models.JSONField(default=dict)),
                ("reason", models.CharField(max_length=1000)),
                ("cron", models.CharField(max_length=200)),
                ("zone", models.CharField(max_length=64)),
                ("enabled", models.BooleanField(default=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_by", models.CharField(max_length=150)),
                ("last_run_at", models.DateTimeField(null=True)),
                ("last_job", models.BigIntegerField(null=True)),
                ("last_outcome", models.CharField(blank=True, max_length=1000)),
            ],
            options={"db_table": "job_schedule", "default_permissions": ()},
        ),
    ]
