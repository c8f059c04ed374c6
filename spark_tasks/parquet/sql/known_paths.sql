-- One row per given path that the manifest names.
SELECT path
  FROM cold_file
 WHERE path = ANY (%(paths)s)
