"""The creators of jobs by the ids of users, because names may be changed."""

from django.conf import settings
from django.db import migrations, models

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0021_audit_ids"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("job", "creator_id", models.BigIntegerField(null=True)),
        run_sql("users_by_id"),
    ]
