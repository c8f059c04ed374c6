"""The records of the objects that CP messages are about are found by the objects' numbers."""

from django.contrib.postgres.indexes import HashIndex
from django.db import migrations, models
from django.db.models.fields.json import KeyTransform


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0042_reveals_end")]

    operations = [
        migrations.AddIndex(
            "targetrecord",
            HashIndex(
                KeyTransform("object_id", "data"),
                name="target_record_object_idx",
                condition=models.Q(valid_to=None),
            ),
        ),
    ]
