-- One row: how many chunks of a part of the plan exist; their numbers are in [first_no, end_no).
SELECT count(*)
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND chunk_no >= %(first_no)s
   AND chunk_no < %(end_no)s
