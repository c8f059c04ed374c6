"""
Items are written once, with the plan; who is not done has a refusal; a view says what became of each.

An item that had its outcome in its own row keeps it: as a refusal, or as one of a chunk that is done.
"""

from django.db import migrations, models

_PRIMARY_KEY = """
ALTER TABLE job_item DROP CONSTRAINT job_item_pkey;
ALTER TABLE job_item ADD PRIMARY KEY (job_id, chunk_no, msg_id);
"""

_OLD_PRIMARY_KEY = """
ALTER TABLE job_item DROP CONSTRAINT job_item_pkey;
ALTER TABLE job_item ADD PRIMARY KEY (job_id, msg_id);
"""

_KEEP_REFUSALS = """
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT job_id, msg_id, root_msg_id, old_state, outcome
  FROM job_item
 WHERE outcome <> 'done'
"""

_LEDGER = """
CREATE VIEW job_ledger AS
SELECT item.job_id, item.chunk_no, item.msg_id, item.root_msg_id, item.old_state,
       CASE WHEN refusal.msg_id IS NULL THEN chunk.new_state END AS new_state,
       CASE WHEN refusal.msg_id IS NOT NULL THEN refusal.outcome
            WHEN chunk.committed_at IS NOT NULL OR item.msg_id <= chunk.done_through THEN 'done'
       END AS outcome,
       chunk.outcomes ? 'done' AS chunk_has_done
  FROM job_chunk AS chunk
  JOIN job_item AS item ON item.job_id = chunk.job_id AND item.chunk_no = chunk.chunk_no
  LEFT JOIN job_refusal AS refusal ON refusal.job_id = item.job_id AND refusal.msg_id = item.msg_id
"""


def _state_only(*operations: migrations.operations.base.Operation) -> migrations.SeparateDatabaseAndState:
    return migrations.SeparateDatabaseAndState(state_operations=list(operations))


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0009_acting")]

    operations = [
        migrations.AddField("job", "paced_until", models.DateTimeField(null=True)),
        migrations.AddField("job", "paused_for", models.CharField(blank=True, max_length=20, default="")),
        migrations.AddField("job", "undo_of", models.BigIntegerField(null=True)),
        migrations.AddField("job", "retry_of", models.BigIntegerField(null=True)),
        migrations.AlterField("job", "paused_for", models.CharField(blank=True, max_length=20)),
        migrations.AddField("jobchunk", "done_through", models.BigIntegerField(null=True)),
        migrations.AddField("jobchunk", "new_state", models.CharField(max_length=15, null=True)),
        migrations.AddField("jobchunk", "versions", models.JSONField(default=list)),
        migrations.CreateModel(
            name="JobRefusal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id", "msg_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("root_msg_id", models.BigIntegerField()),
                ("old_state", models.CharField(max_length=15)),
                ("outcome", models.CharField(max_length=60)),
            ],
            options={
                "db_table": "job_refusal",
                "indexes": [
                    models.Index(
                        models.F("job_id"),
                        models.F("outcome"),
                        models.F("msg_id"),
                        name="job_refusal_outcome_idx",
                    )
                ],
            },
        ),
        migrations.RunSQL(_KEEP_REFUSALS, migrations.RunSQL.noop),
        migrations.RemoveIndex("jobitem", "job_item_chunk_idx"),
        migrations.RemoveIndex("jobitem", "job_item_outcome_idx"),
        migrations.RemoveIndex("jobitem", "job_item_msg_idx"),
        migrations.RemoveField("jobitem", "new_state"),
        migrations.RemoveField("jobitem", "outcome"),
        # Django does not change the columns of a composite key.
        migrations.RunSQL(_PRIMARY_KEY, _OLD_PRIMARY_KEY),
        _state_only(
            migrations.DeleteModel("JobItem"),
            migrations.CreateModel(
                name="JobItem",
                fields=[
                    (
                        "pk",
                        models.CompositePrimaryKey(
                            "job_id",
                            "chunk_no",
                            "msg_id",
                            blank=True,
                            editable=False,
                            primary_key=True,
                            serialize=False,
                        ),
                    ),
                    ("job_id", models.BigIntegerField()),
                    ("chunk_no", models.IntegerField()),
                    ("msg_id", models.BigIntegerField()),
                    ("root_msg_id", models.BigIntegerField()),
                    ("old_state", models.CharField(max_length=15)),
                ],
                options={"db_table": "job_item"},
            ),
        ),
        migrations.AddConstraint(
            "jobitem", models.UniqueConstraint(fields=("msg_id", "job_id"), name="uq_item_once_a_job")
        ),
        migrations.RunSQL(_LEDGER, "DROP VIEW job_ledger"),
        migrations.CreateModel(
            name="LedgerRow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id",
                        "chunk_no",
                        "msg_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("chunk_no", models.IntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("root_msg_id", models.BigIntegerField()),
                ("old_state", models.CharField(max_length=15)),
                ("new_state", models.CharField(max_length=15, null=True)),
                ("outcome", models.CharField(max_length=60, null=True)),
                ("chunk_has_done", models.BooleanField()),
            ],
            options={"db_table": "job_ledger", "managed": False, "default_permissions": ()},
        ),
    ]
