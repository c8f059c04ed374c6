"""Deployments, the role of pipelines that report them, and the permission for operators."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import write_roles


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0014_incidents"),
    ]

    operations = [
        migrations.CreateModel(
            name="Deployment",
            fields=[
                ("deployment_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("service_name", models.CharField(max_length=100)),
                ("version", models.CharField(max_length=100)),
                ("at", models.DateTimeField(db_default=Now())),
                ("note", models.CharField(blank=True, db_default="", default="", max_length=1000)),
                ("noted_by", models.CharField(max_length=150)),
                ("noted_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "deployment",
                "default_permissions": ("add",),
                "indexes": [
                    models.Index(fields=["at", "deployment_id"], name="deployment_at_idx"),
                    models.Index(
                        fields=["service_name", "at", "deployment_id"], name="deployment_service_idx"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("service_name", "version", "at"), name="uq_deployment")
                ],
            },
        ),
        write_roles(),
    ]
