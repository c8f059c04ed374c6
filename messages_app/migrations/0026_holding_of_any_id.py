"""The job that has a message, also of one whose id is not positive."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0025_causes_of_failures")]

    operations = [run_sql("job_holding_of_any_id")]
