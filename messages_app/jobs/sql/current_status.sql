-- One row per current status of the messages that the job has attempted in one chunk: `place` (refused by the
-- job, live, archived in tables or in Parquet, or gone), the state there, whether the row is unchanged since
-- the job wrote it, and the number of messages. An even sample of at most `most` messages; NULL: all.
-- Messages are looked up one by one, because for a join the planner might read a whole table.
WITH chunk AS (
  SELECT job_id, chunk_no, committed_at IS NOT NULL AS is_done, done_through, versions
    FROM job_chunk
   WHERE job_id = %(job_id)s
     AND chunk_no = %(chunk_no)s
), version AS (
  SELECT jsonb_array_elements_text(versions) AS xmin FROM chunk
), tried AS (
  SELECT item.msg_id, refusal.outcome
    FROM chunk
    JOIN job_item AS item ON item.job_id = chunk.job_id AND item.chunk_no = chunk.chunk_no
    LEFT JOIN LATERAL (SELECT job_refusal.outcome
                         FROM job_refusal
                        WHERE job_refusal.job_id = item.job_id
                          AND job_refusal.msg_id = item.msg_id
                        LIMIT 1) AS refusal ON true
   WHERE (chunk.is_done OR item.msg_id <= chunk.done_through)
     AND (refusal.outcome IS NULL OR refusal.outcome LIKE 'failed:%%')
   ORDER BY hashint8(item.msg_id)
   LIMIT %(most)s
)
SELECT CASE WHEN tried.outcome IS NOT NULL THEN 'refused'
            WHEN live.state IS NOT NULL THEN 'live'
            WHEN archived.state IS NOT NULL THEN 'archived'
            ELSE 'gone' END AS place,
       coalesce(live.state, archived.state) AS state,
       coalesce(live.xmin IN (SELECT version.xmin FROM version), false) AS is_untouched,
       count(*)
  FROM tried
  LEFT JOIN LATERAL (SELECT message.state, message.xmin::text AS xmin
                       FROM message
                      WHERE message.msg_id = tried.msg_id
                      LIMIT 1) AS live ON true
  LEFT JOIN LATERAL (SELECT archive_message.state
                       FROM archive_message
                      WHERE archive_message.msg_id = tried.msg_id
                        AND live.state IS NULL
                     UNION ALL
                     SELECT cold_message.state
                       FROM cold_message
                      WHERE cold_message.msg_id = tried.msg_id
                        AND live.state IS NULL
                      LIMIT 1) AS archived ON true
 GROUP BY 1, 2, 3
