-- One row per message of the given ids that is in the archive, in tables or in Parquet.
SELECT msg_id
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
UNION ALL
SELECT msg_id
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
