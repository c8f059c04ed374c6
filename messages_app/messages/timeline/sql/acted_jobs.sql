-- The newest jobs that changed, moved or resent a message. A job of another store may have the same number in its
-- ledger, and others only read the message: they have neither a new state of a message nor moved messages.
WITH own AS (
  SELECT job_id, chunk_no
    FROM job_item
   WHERE msg_id = %(msg_id)s
   ORDER BY job_id DESC
   LIMIT %(most)s
)
SELECT job.job_id, job.kind, job.created_by, job.reason,
       coalesce((job.options ->> 'total')::boolean, false) AS total, chunk.committed_at
  FROM own
  JOIN job ON job.job_id = own.job_id
  JOIN job_chunk AS chunk ON chunk.job_id = own.job_id AND chunk.chunk_no = own.chunk_no
 WHERE chunk.committed_at IS NOT NULL
   AND (chunk.new_state = ANY (%(states)s)
        OR chunk.moved ? 'message'
        OR EXISTS (SELECT FROM resent_message
                    WHERE resent_message.original_id = %(msg_id)s AND resent_message.job_id = job.job_id))
   AND EXISTS (SELECT FROM job_ledger
                WHERE job_ledger.job_id = own.job_id
                  AND job_ledger.msg_id = %(msg_id)s
                  AND job_ledger.outcome = 'done')
 ORDER BY job.job_id DESC
