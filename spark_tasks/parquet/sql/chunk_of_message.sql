-- One row: the job's chunk that contains the message.
SELECT chunk_no
  FROM job_item
 WHERE job_id = %(job_id)s
   AND msg_id = %(msg_id)s
