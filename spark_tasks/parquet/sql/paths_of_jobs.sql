-- One row per file of the manifest that one of the jobs has written.
SELECT file.path
  FROM cold_part AS part
  JOIN cold_file AS file ON file.part_id = part.part_id
 WHERE part.job_id = ANY (%(job_ids)s)
