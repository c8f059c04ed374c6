"""The rules for files, keys of SSH hosts and statuses in bodies have changed: all groups are regrouped."""

from django.db import migrations

# None of the messages of a group is checked yet.
_MARK_GROUPS = "UPDATE failure_group SET regroup_below = 9223372036854775807"


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0027_regroup_failure_groups")]

    operations = [migrations.RunSQL(_MARK_GROUPS, migrations.RunSQL.noop)]
