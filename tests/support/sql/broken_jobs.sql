-- One row per broken promise of a ledger: its name, the job, and the message or chunk.
WITH ledger AS MATERIALIZED (
  SELECT row.*, job.kind, job.created_by, job.state AS job_state
    FROM job JOIN job_ledger AS row ON row.job_id = job.job_id
   WHERE NOT job.dry_run
),
is_final (state) AS (VALUES ('done'), ('failed'), ('stopped')),
-- Changes of a message by an actor, according to the ledgers of jobs and to the history.
told AS (
  SELECT created_by, msg_id, max(job_id) AS job_id, count(*) FILTER (WHERE outcome = 'done') AS times
    FROM ledger
   WHERE kind IN ('restart', 'cancel')
   GROUP BY created_by, msg_id
),
seen AS (
  SELECT actor, msg_id, count(*) AS times
    FROM message_event
   WHERE actor IN (SELECT created_by FROM job)
   GROUP BY actor, msg_id
),
chunk AS (
  SELECT job_chunk.*, job.state AS job_state,
         coalesce((outcomes ->> 'done')::bigint, 0) AS done,
         (SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(outcomes)) AS decided
    FROM job_chunk JOIN job ON job.job_id = job_chunk.job_id
),
items AS (
  SELECT job_id, chunk_no, count(*) AS planned, count(outcome) AS decided,
         count(*) FILTER (WHERE outcome = 'done') AS done
    FROM ledger
   GROUP BY job_id, chunk_no
),
audited AS (
  SELECT job_id, (details ->> 'chunk_no')::integer AS chunk_no,
         sum(coalesce((details -> 'outcomes' ->> 'done')::bigint, 0)) AS done
    FROM audit_entry
   WHERE job_id IS NOT NULL AND details ? 'chunk_no'
   GROUP BY 1, 2
)
SELECT 'changed more or less often than the ledger says' AS what, told.job_id, coalesce(told.msg_id, seen.msg_id)
  FROM told FULL JOIN seen ON seen.actor = told.created_by AND seen.msg_id = told.msg_id
 WHERE coalesce(told.times, 0) <> coalesce(seen.times, 0)
UNION ALL
SELECT 'in two active jobs', max(job_id), msg_id
  FROM ledger
 WHERE kind <> 'export' AND job_state NOT IN (SELECT state FROM is_final)
   AND (outcome IS NULL OR outcome = 'done')
 GROUP BY msg_id
HAVING count(*) > 1
UNION ALL
SELECT 'no outcome in a job that has ended', job_id, msg_id
  FROM ledger
 WHERE outcome IS NULL AND job_state IN (SELECT state FROM is_final)
UNION ALL
SELECT 'planned is not done + skipped + failed', job_id, chunk_no
  FROM chunk
 WHERE decided <> planned AND (committed_at IS NOT NULL OR job_state IN (SELECT state FROM is_final))
UNION ALL
SELECT 'chunk and items tell different counts', chunk.job_id, chunk.chunk_no
  FROM chunk LEFT JOIN items ON items.job_id = chunk.job_id AND items.chunk_no = chunk.chunk_no
 WHERE chunk.content = 'messages'
   AND (coalesce(items.planned, 0), coalesce(items.decided, 0), coalesce(items.done, 0))
       IS DISTINCT FROM (chunk.planned::bigint, chunk.decided::bigint, chunk.done)
UNION ALL
SELECT CASE WHEN coalesce(audited.done, 0) > coalesce(chunk.done, 0) THEN 'ghost: audited, not done'
            ELSE 'zombie: done, not audited' END,
       coalesce(chunk.job_id, audited.job_id), coalesce(chunk.chunk_no, audited.chunk_no)
  FROM chunk FULL JOIN audited ON audited.job_id = chunk.job_id AND audited.chunk_no = chunk.chunk_no
 WHERE coalesce(audited.done, 0) <> coalesce(chunk.done, 0)
UNION ALL
SELECT 'archived, and still live', job_id, ledger.msg_id
  FROM ledger JOIN message ON message.msg_id = ledger.msg_id
 WHERE kind = 'archive' AND outcome = 'done'
   AND NOT EXISTS (SELECT FROM job AS later
                    WHERE later.job_id > ledger.job_id
                      AND (later.kind = 'restore' OR later.undo_of IS NOT NULL))
UNION ALL
SELECT 'moved, but not by its ledger', max(job_id), ledger.msg_id
  FROM ledger JOIN archive_message ON archive_message.msg_id = ledger.msg_id
 WHERE kind = 'archive'
 GROUP BY ledger.msg_id
HAVING NOT bool_or(outcome IS NOT DISTINCT FROM 'done' OR outcome = 'skipped:archived')
