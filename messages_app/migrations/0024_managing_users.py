"""The permission of administrators to manage users and their roles."""

from django.db import migrations

from messages_app.migrations._operations import write_roles


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0023_counts_of_calls")]

    operations = [
        migrations.AlterModelOptions(
            name="scopeduser",
            options={
                "default_permissions": (),
                "permissions": [("manage_users", "Can manage users and their roles")],
            },
        ),
        write_roles(),
    ]
