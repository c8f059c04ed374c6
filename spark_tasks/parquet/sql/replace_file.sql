-- One row: the manifest names the new file instead of the one that was read.
UPDATE cold_file
   SET path = %(path)s,
       rows = %(rows)s,
       first_id = %(first_id)s,
       last_id = %(last_id)s,
       bytes = %(bytes)s,
       sha256 = %(sha256)s
 WHERE file_id = %(file_id)s
   AND path = %(old_path)s
