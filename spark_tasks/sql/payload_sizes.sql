-- One row per live message of the given ids: its id, and the bytes of its payload, which are known without reading it.
SELECT msg_id, octet_length(payload)
  FROM message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
