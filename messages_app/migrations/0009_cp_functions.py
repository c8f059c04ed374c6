"""The functions of pickups and dispatches in the CP queue: they name its indexes, which have to exist."""

from django.db import migrations

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0008_jobs")]

    operations = [
        run_sql(
            "cp_pickup",
            reverse=(
                "DROP FUNCTION cp_pick, cp_wait_for_turn, cp_collapse, cp_bring_back_due, cp_begin_pickup,"
                " cp_set_fence, cp_search_cost"
            ),
        ),
        run_sql("cp_dispatch", reverse="DROP FUNCTION cp_dispatch_message"),
    ]
