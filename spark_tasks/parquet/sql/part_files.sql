-- One row per file of the part. The part is locked, so that no other session rewrites it or counts restored
-- rows.
SELECT file.file_id, file.table_name, file.path, file.sha256, file.rows
  FROM (SELECT part_id FROM cold_part WHERE part_id = %(part_id)s FOR UPDATE) AS held
  JOIN cold_file AS file ON file.part_id = held.part_id
