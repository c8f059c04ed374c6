-- One row per message of the given ids that is in the archive, in tables or in Parquet files.
SELECT msg_id
  FROM archived_relative
 WHERE msg_id = ANY (%(ids)s)
