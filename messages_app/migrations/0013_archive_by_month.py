"""Archive tables by month, where they are empty; `archive_months --partition` changes others online."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from messages_app.jobs.archive_months.services import partition_empty

# In the schema of an attached console, `attach` replaces the tables by views of the hub's.
_IS_OUR_OWN = """
SELECT FROM pg_class
 WHERE oid = to_regclass('message') AND relkind = 'r' AND current_schema() <> 'hubconsole'
"""


def _partition(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_IS_OUR_OWN)
        is_our_own = bool(cursor.rowcount)
    if is_our_own:
        partition_empty()


class Migration(migrations.Migration):
    # The change has a transaction of its own, with its own role and time limit for locks.
    atomic = False
    dependencies = [("messages_app", "0012_first_rows")]

    operations = [migrations.RunPython(_partition, migrations.RunPython.noop)]
