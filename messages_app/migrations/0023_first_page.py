"""Who looked at the first page, and when: for "since I was last here", and for the strip for new readers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0022_watch_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FirstPageVisit",
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
                ("here_at", models.DateTimeField()),
                ("before_at", models.DateTimeField(null=True)),
                ("guided_at", models.DateTimeField(null=True)),
            ],
            options={"db_table": "first_page_visit", "default_permissions": ()},
        ),
    ]
