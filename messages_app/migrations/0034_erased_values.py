"""The digests of erased values, which are never stored as business keys again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0033_message_totals")]

    operations = [
        migrations.CreateModel(
            name="ErasedValue",
            fields=[("digest", models.CharField(max_length=64, primary_key=True, serialize=False))],
            options={"db_table": "business_key_erased", "abstract": False, "default_permissions": ()},
        ),
    ]
