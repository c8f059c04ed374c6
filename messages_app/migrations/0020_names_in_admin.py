"""Names of the tables in the admin."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0019_chunk_times"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="archiveexternalcall",
            options={"verbose_name_plural": "archived external calls"},
        ),
        migrations.AlterModelOptions(
            name="archivefunnel",
            options={"verbose_name_plural": "archived funnels"},
        ),
        migrations.AlterModelOptions(
            name="archivemessage",
            options={"verbose_name_plural": "archived messages"},
        ),
        migrations.AlterModelOptions(
            name="archiverequest",
            options={"verbose_name_plural": "archived requests"},
        ),
        migrations.AlterModelOptions(
            name="archiveresponse",
            options={"verbose_name_plural": "archived responses"},
        ),
        migrations.AlterModelOptions(
            name="cpmessage",
            options={
                "default_permissions": ("view",),
                "permissions": [
                    ("pull_cp_messages", "Can create, pull and dispatch CP messages"),
                    (
                        "steer_cp_messages",
                        "Can reset, send on, delete CP messages, dispatch for a dead service",
                    ),
                ],
                "verbose_name_plural": "CP messages",
            },
        ),
        migrations.AlterModelOptions(
            name="historyline",
            options={"default_permissions": (), "managed": False, "verbose_name_plural": "documents"},
        ),
        migrations.AlterModelOptions(
            name="messagestore",
            options={
                "default_permissions": ("view", "add"),
                "permissions": [
                    ("reprocess_messagestore", "Can reprocess, retry and release messages of the store"),
                    ("change_sourcedefinition", "Can change source definitions"),
                ],
                "verbose_name_plural": "stored messages",
            },
        ),
    ]
