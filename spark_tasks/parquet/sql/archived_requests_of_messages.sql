-- One row per archived request of the given messages.
SELECT req_id
  FROM archive_request
 WHERE msg_id = ANY (%(ids)s)
