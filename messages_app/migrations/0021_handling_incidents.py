"""The permission of support to acknowledge, assign and note incidents."""

from django.db import migrations

from messages_app.migrations._operations import write_roles


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0020_position_of_key_sweep")]

    operations = [
        migrations.AlterModelOptions(
            name="incident",
            options={
                "default_permissions": ("change",),
                "permissions": [("handle_incident", "Can acknowledge, assign and note incidents")],
            },
        ),
        write_roles(),
    ]
