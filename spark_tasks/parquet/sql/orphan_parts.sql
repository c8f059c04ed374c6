-- One row per part with orphans of the job that is not completely restored: its id, and the ids restored from
-- it. Locked, so that two jobs do not restore the same orphans.
SELECT part_id, restored_ids
  FROM cold_part
 WHERE job_id = %(job_id)s
   AND content = %(content)s
   AND emptied_at IS NULL
 ORDER BY part_id
   FOR UPDATE
