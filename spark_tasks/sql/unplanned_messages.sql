-- One row per message of a query that the job's plan does not have. Looked up one by one, because a join might
-- read a whole ledger.
SELECT msg_id, state, parent_msg_id
  FROM ({messages}) AS message
 WHERE (SELECT chunk_no
          FROM job_item
         WHERE job_item.msg_id = message.msg_id
           AND job_item.job_id = %(job_id)s) IS NULL
