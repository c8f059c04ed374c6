-- One row per message of the given ids, live or archived, in the order of ids. One statement, so that a
-- message that is being moved appears once. Rows are sorted before they are formatted, while large values are
-- still outside of them.
SELECT {row}
  FROM (SELECT {columns}, false AS archived
          FROM message
         WHERE msg_id = ANY (%(ids)s::bigint[])
         UNION ALL
        SELECT {columns}, true
          FROM archive_message
         WHERE msg_id = ANY (%(ids)s::bigint[])
         ORDER BY msg_id) AS chosen
 ORDER BY msg_id
