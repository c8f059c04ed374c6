-- One row per live message of the given ids: its id, its payload, which is NULL if it is too large to be corrected, and
-- whether it was resent before.
SELECT message.msg_id,
       CASE WHEN octet_length(message.payload) <= %(most)s THEN message.payload END,
       resent.original_id IS NOT NULL
  FROM message
  LEFT JOIN resent_message AS resent ON resent.original_id = message.msg_id
 WHERE message.msg_id = ANY (%(ids)s)
