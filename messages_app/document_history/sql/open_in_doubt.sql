-- One row per open document in doubt of these keys: its key.
SELECT in_doubt_id::text
  FROM document_in_doubt
 WHERE in_doubt_id = ANY (%(keys)s::bigint[])
   AND state = 'open'
