-- One row per message of the given ids that is still in the state of the frozen set, and that no other session has
-- locked: its id and its payload, which is NULL if it is too large to be corrected. Locked in the order of ids.
SELECT message.msg_id,
       CASE WHEN octet_length(message.payload) <= %(most)s THEN message.payload END
  FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
  JOIN message ON message.msg_id = asked.msg_id
   AND message.state = asked.state
 WHERE message.state = ANY (%(allowed)s)
 ORDER BY message.msg_id
   FOR NO KEY UPDATE OF message SKIP LOCKED
