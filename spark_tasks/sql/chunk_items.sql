-- One row per item of the chunk that the plan did not skip.
SELECT msg_id, root_msg_id
  FROM job_item
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   AND outcome IS NULL
