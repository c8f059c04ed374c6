-- The jobs whose end was not noted yet, oldest first; they are now. Other processes take others.
UPDATE job
   SET is_end_noted = true
 WHERE job_id IN (SELECT job_id
                    FROM job
                   WHERE finished_at IS NOT NULL
                     AND NOT is_end_noted
                   ORDER BY job_id
                   LIMIT %(most)s
                     FOR UPDATE SKIP LOCKED)
RETURNING job_id
