-- One row: the newest attempt that got a chunk done, or after which the job was told to go on; 0 if there is none.
SELECT greatest(coalesce((SELECT max(attempt) FROM job_chunk WHERE job_id = %(job_id)s), 0),
                (SELECT resumed_attempt FROM job WHERE job_id = %(job_id)s))
