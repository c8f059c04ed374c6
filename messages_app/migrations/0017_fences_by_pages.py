"""Fences of the CP queue that also spare the pages of processed messages."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0016_turns_of_pickups")]

    # Where 0013 has just run, this replaces functions by the same ones.
    operations = [run_sql("cp_pickup")]
