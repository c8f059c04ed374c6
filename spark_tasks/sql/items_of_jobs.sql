-- One row per message of the given ids that one of the given jobs has and has not refused. Looked up one by
-- one, because a join might read a whole ledger.
SELECT DISTINCT item.msg_id
  FROM job_item AS item
 WHERE item.msg_id = ANY (%(ids)s)
   AND item.job_id = ANY (%(job_ids)s)
   AND (SELECT refusal.outcome
          FROM job_refusal AS refusal
         WHERE refusal.job_id = item.job_id
           AND refusal.msg_id = item.msg_id) IS NULL
