"""The formats of webhooks, and the keys of PagerDuty and Opsgenie (docs/howto/notify_chat_and_on_call.md)."""

from django.db import migrations, models


def _format_field() -> models.CharField:
    return models.CharField(db_default="standard", default="standard", max_length=10)


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0038_passkeys"),
    ]

    operations = [
        migrations.AddField(model_name="watchrule", name="webhook_format", field=_format_field()),
        migrations.AddField(
            model_name="watchrule",
            name="webhook_key",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(model_name="webhook", name="format", field=_format_field()),
    ]
