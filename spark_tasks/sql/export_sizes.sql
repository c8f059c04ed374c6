-- One row per message of the given ids, live or archived, in the order of ids: the size of its long texts in
-- bytes.
SELECT msg_id, {size}
  FROM message
 WHERE msg_id = ANY (%(ids)s)
UNION ALL
SELECT msg_id, {size}
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
