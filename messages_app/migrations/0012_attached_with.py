"""
The indexes that `attach` created, and the rights that it lacked: `doctor` compares them.

The function `table_behind` leaves out the table from which the view of archived messages has further values.
"""

from django.db import migrations, models

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0011_attachment")]

    operations = [
        migrations.AddField("attachment", "has_indexes", models.BooleanField(db_default=False)),
        migrations.AddField("attachment", "missing_grants", models.JSONField(null=True)),
        run_sql("table_behind", reverse=""),
    ]
