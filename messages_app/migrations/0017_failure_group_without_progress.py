"""Drop a column and its index that nothing has read."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0016_resent_messages"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="failuregroup", name="failure_group_regroup_idx"),
        migrations.RemoveField(model_name="failuregroup", name="regroup_below"),
    ]
