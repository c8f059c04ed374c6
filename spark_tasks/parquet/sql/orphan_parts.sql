-- One row per part of orphans of the job that is not restored whole: its id, and the ids restored from it. Held,
-- so that two do not restore the same.
SELECT part_id, restored_ids
  FROM cold_part
 WHERE job_id = %(job_id)s
   AND content = %(content)s
   AND emptied_at IS NULL
 ORDER BY part_id
   FOR UPDATE
