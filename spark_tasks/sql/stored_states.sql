-- One row per message of the store, by the given numbers, that has a process row, with its status.
SELECT line.number, (SELECT coalesce(process.status, 0)::text
                       FROM message_process AS process
                      WHERE process.message_identifier = line.message_identifier)
  FROM message_line AS line
 WHERE line.number = ANY (%(ids)s)
   AND line.has_process
