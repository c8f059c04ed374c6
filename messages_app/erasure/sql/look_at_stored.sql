-- One row: a message of the store, locked: its number, its status, its file, and the job that includes it.
SELECT line.number, line.status, store.file_path,
       (SELECT job.job_id
          FROM job_item AS item
          JOIN job ON job.job_id = item.job_id
         WHERE item.msg_id = line.number
           AND job.kind = ANY (%(kinds)s)
           AND job.finished_at IS NULL
         LIMIT 1)
  FROM message_line AS line
  LEFT JOIN message_store AS store ON store.message_identifier = line.message_identifier
 WHERE line.message_identifier = %(identifier)s
   FOR UPDATE OF line
