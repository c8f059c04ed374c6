-- One row per locked message of the given ids that can still be erased: final, and in no unfinished job.
SELECT msg_id
  FROM {table}
 WHERE msg_id = ANY (%(ids)s)
   AND state = ANY (%(final)s)
   AND job_holding(msg_id) IS NULL
   AND NOT EXISTS (SELECT
                     FROM job_item AS item
                     JOIN job ON job.job_id = item.job_id
                    WHERE item.msg_id = {table}.msg_id
                      AND job.kind = ANY (%(file_kinds)s)
                      AND job.state <> ALL (%(ended)s))
 ORDER BY msg_id
   FOR UPDATE
