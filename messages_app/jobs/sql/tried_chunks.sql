-- One row per chunk of messages that an attempt has begun, with how many of its messages were done or failed; those
-- under way first, then the one that was done last.
SELECT chunk_no,
       (SELECT coalesce(sum(value::bigint), 0)::bigint
          FROM jsonb_each_text(outcomes) AS each (name, value)
         WHERE name = 'done' OR name LIKE 'failed:%%')
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND content = %(content)s
   AND attempt IS NOT NULL
 ORDER BY committed_at DESC NULLS FIRST, chunk_no
