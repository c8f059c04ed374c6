-- One row: the newest attempt that finished a chunk, or after which the job was resumed; 0 if neither
-- happened.
SELECT greatest(coalesce((SELECT max(attempt) FROM job_chunk WHERE job_id = %(job_id)s), 0),
                (SELECT resumed_attempt FROM job WHERE job_id = %(job_id)s))
