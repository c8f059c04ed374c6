-- One row: the chunk of the job that has the message.
SELECT chunk_no
  FROM job_item
 WHERE job_id = %(job_id)s
   AND msg_id = %(msg_id)s
