"""The settings of a person, which have the height of the rows of all tables."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("messages_app", "0027_viewing_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="PersonSettings",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("time_zone", models.CharField(max_length=64)),
                ("density", models.CharField(max_length=11)),
                ("start_page", models.CharField(max_length=100)),
            ],
            options={"db_table": "person_settings", "abstract": False, "default_permissions": ()},
        ),
        migrations.RemoveField(model_name="listpreference", name="density"),
    ]
