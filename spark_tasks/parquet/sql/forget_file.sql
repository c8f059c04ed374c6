-- One row: the manifest no longer names the file that was read.
DELETE FROM cold_file
 WHERE file_id = %(file_id)s
   AND path = %(old_path)s
