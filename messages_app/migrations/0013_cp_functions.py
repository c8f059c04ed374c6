"""The functions of pickups and dispatches in the CP queue, and the fences of pickups."""

from django.db import migrations, models

from messages_app.cp_queue.models import BytesField
from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0012_attached_with")]

    operations = [
        migrations.CreateModel(
            name="CpFence",
            fields=[
                ("fence_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("low", models.DateTimeField(null=True)),
                ("high", models.DateTimeField(null=True)),
                ("checked_at", models.DateTimeField()),
                ("seconds", models.FloatField()),
            ],
            options={
                "db_table": "cp_fence",
                "default_permissions": (),
                "indexes": [models.Index("queuename", "fence_id", name="cp_fence_queue_idx")],
            },
        ),
        run_sql(
            "cp_pickup",
            reverse=(
                "DROP FUNCTION cp_pick, cp_wait_for_turn, cp_collapse, cp_bring_back_due, cp_begin_pickup,"
                " cp_set_fence, cp_search_cost"
            ),
        ),
        run_sql("cp_dispatch", reverse="DROP FUNCTION cp_dispatch_message"),
    ]
