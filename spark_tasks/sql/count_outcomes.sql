-- One row per outcome of the chunk's items.
SELECT outcome, count(*)
  FROM job_item
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
 GROUP BY outcome
