-- One row per file of the given parts.
SELECT part_id, table_name, path, sha256
  FROM cold_file
 WHERE part_id = ANY (%(part_ids)s)
