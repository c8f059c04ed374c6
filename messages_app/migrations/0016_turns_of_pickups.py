"""Pickups of one message that take turns at a queue."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0015_changes_of_one_message")]

    # Where 0013 has just run, this replaces functions by the same ones.
    operations = [run_sql("cp_pickup")]
