-- One row per message of the given ids that is live.
SELECT msg_id, state
  FROM message
 WHERE msg_id = ANY (%(ids)s)
