-- One row per message of the given ids that is still in the state of the frozen set, and that no other session has
-- locked: its id, and the bytes of its payload. Locked in the order of ids.
SELECT message.msg_id, octet_length(message.payload)
  FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
  JOIN message ON message.msg_id = asked.msg_id
   AND message.state = asked.state
 WHERE message.state = ANY (%(allowed)s)
 ORDER BY message.msg_id
   FOR NO KEY UPDATE OF message SKIP LOCKED
