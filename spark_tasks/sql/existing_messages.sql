-- One row per message of the given ids, live or archived, in the order of ids.
SELECT msg_id
  FROM message
 WHERE msg_id = ANY (%(ids)s)
UNION
SELECT msg_id
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
