"""Taking resubmitted documents, with their contents, is a right of its own; operators do not have it."""

from importlib import import_module

from django.db import migrations

write_roles = import_module("messages_app.migrations.0003_roles").write_roles


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0040_store_gaps")]

    operations = [
        migrations.AlterModelOptions(
            name="documenthistory",
            options={
                "default_permissions": ("view",),
                "permissions": [
                    ("check_documents", "Can check and complete documents"),
                    ("take_documents", "Can take resubmitted documents with their contents"),
                    ("resolve_documents", "Can resubmit and settle documents in doubt"),
                    ("sweep_documents", "Can remove expired document history"),
                ],
            },
        ),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
