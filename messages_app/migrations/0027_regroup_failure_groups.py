"""The rules that group failures have changed: all groups are regrouped."""

from django.db import migrations

# None of the messages of a group is checked yet.
_MARK_GROUPS = "UPDATE failure_group SET regroup_below = 9223372036854775807"


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0026_holding_of_any_id")]

    operations = [migrations.RunSQL(_MARK_GROUPS, migrations.RunSQL.noop)]
