"""The time that a message took, also of one with infinite times."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0023_webhooks")]

    operations = [run_sql("took_of_any_time")]
