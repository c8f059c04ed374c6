-- One row per message of the given ids and export job that includes it and may still have a file: the job and
-- its state.
SELECT DISTINCT item.msg_id, job.job_id, job.state
  FROM job_item AS item
  JOIN job ON job.job_id = item.job_id
 WHERE item.msg_id = ANY (%(ids)s)
   AND job.kind = ANY (%(file_kinds)s)
   AND NOT job.report ? 'removed_at'
