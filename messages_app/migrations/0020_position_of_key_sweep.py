"""Add the position from which keys of lost messages are looked for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0019_failures_before_installation"),
    ]

    operations = [
        migrations.AddField(
            model_name="keypass",
            name="swept",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
