"""
What guards and follows a job: where it rests and since when, who undoes whom, and which job has a message.

The ledger of an undo says which state each message was given back: the one that the undone job found.
"""

from django.db import migrations, models

from messages_app.shared.job_states import ACTIVE_STATES, JobState

_OLD_LEDGER = """
CREATE OR REPLACE VIEW job_ledger AS
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

# An undo gives each message the state that the undone job found, where that job changed states. Each is
# looked up by its keys.
_LEDGER = """
CREATE OR REPLACE VIEW job_ledger AS
SELECT item.job_id, item.chunk_no, item.msg_id, item.root_msg_id, item.old_state,
       CASE WHEN refusal.msg_id IS NULL
             AND (chunk.committed_at IS NOT NULL OR item.msg_id <= chunk.done_through)
            THEN coalesce(chunk.new_state,
                          (SELECT undone.old_state
                             FROM job_item AS undone
                            WHERE undone.msg_id = item.msg_id
                              AND undone.job_id = (SELECT undo_of FROM job WHERE job.job_id = item.job_id)
                              AND (SELECT changed.new_state
                                     FROM job_chunk AS changed
                                    WHERE changed.job_id = undone.job_id
                                      AND changed.chunk_no = undone.chunk_no) IS NOT NULL))
       END::varchar AS new_state,
       CASE WHEN refusal.msg_id IS NOT NULL THEN refusal.outcome
            WHEN chunk.committed_at IS NOT NULL OR item.msg_id <= chunk.done_through THEN 'done'
       END AS outcome,
       chunk.outcomes ? 'done' AS chunk_has_done
  FROM job_chunk AS chunk
  JOIN job_item AS item ON item.job_id = chunk.job_id AND item.chunk_no = chunk.chunk_no
  LEFT JOIN job_refusal AS refusal ON refusal.job_id = item.job_id AND refusal.msg_id = item.msg_id
"""

# A job that has not ended has no `finished_at`; an export changes no message.
_HOLDER = """
CREATE FUNCTION job_holding(message_id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT item.job_id
    FROM job_item AS item
    JOIN job ON job.job_id = item.job_id
    JOIN job_chunk AS chunk ON chunk.job_id = item.job_id AND chunk.chunk_no = item.chunk_no
   WHERE item.msg_id = message_id
     AND job.finished_at IS NULL
     AND job.kind <> 'export'
     AND chunk.committed_at IS NULL
     AND item.msg_id > coalesce(chunk.done_through, 0)
     AND NOT EXISTS (SELECT
                       FROM job_refusal
                      WHERE job_refusal.job_id = item.job_id
                        AND job_refusal.msg_id = item.msg_id)
   LIMIT 1
$$;
COMMENT ON FUNCTION job_holding(bigint) IS
  'The active job that has the message and has not come to it yet; NULL: none has.';
"""

_AT_REST = models.Q(state=JobState.PAUSED)
_ACTIVE = models.Q(state__in=sorted(ACTIVE_STATES))


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0012_archive_indexes")]

    operations = [
        migrations.AddField("job", "paused_at", models.DateTimeField(null=True)),
        migrations.AddField("job", "resumed_attempt", models.IntegerField(db_default=0)),
        migrations.AddIndex(
            "job", models.Index(fields=["paused_for"], name="job_paused_idx", condition=_AT_REST)
        ),
        migrations.AddIndex(
            "job",
            models.Index(fields=["undo_of"], name="job_undo_idx", condition=models.Q(undo_of__isnull=False)),
        ),
        migrations.AddIndex(
            "job",
            models.Index(
                fields=["retry_of"], name="job_retry_idx", condition=models.Q(retry_of__isnull=False)
            ),
        ),
        migrations.AddConstraint(
            "job",
            models.UniqueConstraint(fields=["undo_of"], name="uq_one_active_undo", condition=_ACTIVE),
        ),
        migrations.RunSQL(_LEDGER, _OLD_LEDGER),
        migrations.RunSQL(_HOLDER, "DROP FUNCTION job_holding(bigint)"),
    ]
