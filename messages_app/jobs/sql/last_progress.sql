-- One row: the newest attempt that got a chunk done, 0 if none did.
SELECT coalesce(max(attempt), 0)
  FROM job_chunk
 WHERE job_id = %(job_id)s
