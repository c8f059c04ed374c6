-- One row per orphan that the job archived or planned to archive, as a row of a plan.
SELECT content, orphan::bigint, orphan::bigint, NULL, NULL
  FROM job_chunk
 CROSS JOIN LATERAL jsonb_array_elements_text(orphan_ids) AS orphan
 WHERE job_id = %(job_id)s
   AND orphan_ids IS NOT NULL
   AND outcomes ? 'done'
