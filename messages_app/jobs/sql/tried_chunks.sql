-- One row per chunk of messages that an attempt has started, with the number of its messages that were done
-- or failed. Chunks in progress come first, then the chunk that was done last.
SELECT chunk_no,
       (SELECT coalesce(sum(value::bigint), 0)::bigint
          FROM jsonb_each_text(outcomes) AS each (name, value)
         WHERE name = 'done' OR name LIKE 'failed:%%')
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND content = %(content)s
   AND attempt IS NOT NULL
 ORDER BY committed_at DESC NULLS FIRST, chunk_no
