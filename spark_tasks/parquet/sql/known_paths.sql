-- One row per path of the given ones that the manifest names.
SELECT path
  FROM cold_file
 WHERE path = ANY (%(paths)s)
