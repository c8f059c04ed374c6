"""The pinned objects of a person (access/places.py)."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0031_setup_checklist")]

    operations = [
        migrations.AddField(
            model_name="personsettings",
            name="pins",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=400), default=list, size=None
            ),
        ),
    ]
