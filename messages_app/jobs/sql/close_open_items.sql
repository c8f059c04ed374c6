-- As many rows as items were left when the job ended early.
UPDATE job_item
   SET outcome = %(outcome)s
 WHERE job_id = %(job_id)s
   AND outcome IS NULL
