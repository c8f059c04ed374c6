-- Like `current_status.sql`, for messages of the message store: their current status,
-- mapped to states of the hub: OK is processed, FAILED any error, PROCESSING any status that is not final.
WITH chunk AS (
  SELECT job_id, chunk_no, committed_at IS NOT NULL AS is_done, done_through
    FROM job_chunk
   WHERE job_id = %(job_id)s
     AND chunk_no = %(chunk_no)s
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
), found AS (
  SELECT outcome, (SELECT line.status FROM message_line AS line WHERE line.number = tried.msg_id) AS status
    FROM tried
)
SELECT CASE WHEN outcome IS NOT NULL THEN 'refused' WHEN status IS NULL THEN 'gone' ELSE 'live' END AS place,
       CASE WHEN status = 10 THEN 'OK'
            WHEN status >= 20 THEN 'FAILED'
            WHEN status IS NOT NULL THEN 'PROCESSING' END AS state,
       false AS is_untouched,
       count(*)
  FROM found
 GROUP BY 1, 2
