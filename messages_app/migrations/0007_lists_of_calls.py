from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0006_waiting_indexes")]

    operations = [
        migrations.AddIndex(
            model_name="request",
            index=models.Index("req_timestamp", "req_id", name="request_time_idx"),
        ),
        migrations.AddIndex(
            model_name="response",
            index=models.Index("res_timestamp", "res_id", name="response_time_idx"),
        ),
        migrations.AddIndex(
            model_name="response",
            index=models.Index("res_id", name="response_failed_idx", condition=models.Q(failed=True)),
        ),
    ]
