-- One row per message of the given ids that is in the archive.
SELECT msg_id
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
