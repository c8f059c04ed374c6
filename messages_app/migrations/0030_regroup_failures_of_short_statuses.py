"""The rules for short statuses ("returned 401") and general codes have changed: all groups are regrouped."""

from django.db import migrations

# None of the messages of a group is checked yet.
_MARK_GROUPS = "UPDATE failure_group SET regroup_below = 9223372036854775807"


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0029_name_api_tokens")]

    operations = [migrations.RunSQL(_MARK_GROUPS, migrations.RunSQL.noop)]
