-- One row for each chunk that was not done when the job ended early. Their open items were closed before.
UPDATE job_chunk
   SET outcomes = outcomes || jsonb_build_object(
         %(outcome)s::text,
         planned - (SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(outcomes) AS each (name, value)
                     WHERE name <> %(outcome)s)),
       committed_at = clock_timestamp()
 WHERE job_id = %(job_id)s
   AND committed_at IS NULL
