-- The jobs whose end was not noted yet, oldest first; they are now. Other processes take others.
-- The limit holds for any plan: as an array, the inner query runs once.
UPDATE job
   SET is_end_noted = true
 WHERE job_id = ANY (ARRAY(SELECT job_id
                             FROM job
                            WHERE finished_at IS NOT NULL
                              AND NOT is_end_noted
                            ORDER BY job_id
                            LIMIT %(most)s
                              FOR UPDATE SKIP LOCKED))
RETURNING job_id
