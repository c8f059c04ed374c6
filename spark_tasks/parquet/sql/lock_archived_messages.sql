-- One row per message of the given ids that is in the archive tables and that no other session holds.
SELECT msg_id
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
   FOR UPDATE SKIP LOCKED
