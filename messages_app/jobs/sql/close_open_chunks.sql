-- As many rows as chunks were left when the job ended early; their items were closed before.
UPDATE job_chunk
   SET outcomes = coalesce(
         (SELECT jsonb_object_agg(item.outcome, item.rows)
            FROM (SELECT outcome, count(*) AS rows
                    FROM job_item
                   WHERE job_item.job_id = job_chunk.job_id
                     AND job_item.chunk_no = job_chunk.chunk_no
                   GROUP BY outcome) AS item),
         jsonb_build_object(%(outcome)s::text, planned)),
       committed_at = clock_timestamp()
 WHERE job_id = %(job_id)s
   AND committed_at IS NULL
