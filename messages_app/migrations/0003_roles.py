from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from messages_app.access import roles


def write_roles(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    # Django makes permissions only after the last migration; the groups need them now.
    app_config = apps.get_app_config("messages_app")
    app_config.models_module = True
    create_permissions(app_config, apps=apps, verbosity=0)
    app_config.models_module = None
    roles.write_roles()


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0002_hub_links_and_history"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(write_roles, migrations.RunPython.noop)]
