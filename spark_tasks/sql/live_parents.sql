-- One row per live message of the given ids that names a parent, which may be live or not.
SELECT msg_id, parent_msg_id
  FROM message
 WHERE msg_id = ANY (%(ids)s)
   AND parent_msg_id IS NOT NULL
