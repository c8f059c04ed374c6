"""The function that finds the table behind a view."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0009_first_rows")]

    operations = [run_sql("table_behind", reverse="DROP FUNCTION table_behind")]
