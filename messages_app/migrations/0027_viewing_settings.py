"""The permission of administrators to view the settings and the health of all parts."""

from django.db import migrations

from messages_app.migrations._operations import write_roles


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0026_audit_list")]

    operations = [
        migrations.AlterModelOptions(
            name="scopeduser",
            options={
                "default_permissions": (),
                "permissions": [
                    ("manage_users", "Can manage users and their roles"),
                    ("view_settings", "Can view the settings and the health of all parts"),
                ],
            },
        ),
        write_roles(),
    ]
