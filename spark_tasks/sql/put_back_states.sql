-- One row per message put back into the state that it had before the given job, with its row version. Only
-- messages that have not been changed since the job are put back.
UPDATE message
   SET state = before.old_state
  FROM (SELECT item.msg_id, item.old_state, chunk.new_state, chunk.versions
          FROM job_item AS item
          JOIN job_chunk AS chunk ON chunk.job_id = item.job_id AND chunk.chunk_no = item.chunk_no
         WHERE item.job_id = %(origin_id)s
           AND item.msg_id = ANY (%(ids)s)) AS before
 WHERE message.msg_id = before.msg_id
   AND message.state = before.new_state
   AND before.versions ? message.xmin::text
RETURNING message.msg_id, message.xmin::text
