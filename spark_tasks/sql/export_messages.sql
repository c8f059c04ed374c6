-- One row per message of the given ids, live or archived, in the order of ids. One statement, so that a
-- message that is being moved appears once.
SELECT {columns}, false AS archived
  FROM message
 WHERE msg_id = ANY (%(ids)s)
UNION ALL
SELECT {columns}, true
  FROM archive_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
