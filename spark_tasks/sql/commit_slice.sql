-- One row changed: a slice of the chunk is done, the last one if done_through is NULL.
UPDATE job_chunk
   SET attempt = %(attempt)s,
       outcomes = (SELECT coalesce(jsonb_object_agg(name, total), '{}')
                     FROM (SELECT name, sum(rows::bigint) AS total
                             FROM (SELECT * FROM jsonb_each_text(outcomes)
                                    UNION ALL
                                   SELECT * FROM jsonb_each_text(%(outcomes)s)) AS each (name, rows)
                            GROUP BY name) AS summed),
       moved = (SELECT coalesce(jsonb_object_agg(name, total), '{}')
                  FROM (SELECT name, sum(rows::bigint) AS total
                          FROM (SELECT * FROM jsonb_each_text(moved)
                                 UNION ALL
                                SELECT * FROM jsonb_each_text(%(moved)s)) AS each (name, rows)
                         GROUP BY name) AS summed),
       versions = versions || %(versions)s,
       new_state = %(new_state)s,
       done_through = %(done_through)s,
       began_at = coalesce(began_at, transaction_timestamp()),
       committed_at = CASE WHEN CAST(%(done_through)s AS bigint) IS NULL THEN clock_timestamp() END
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   AND committed_at IS NULL
