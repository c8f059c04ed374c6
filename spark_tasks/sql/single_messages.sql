-- One row per message that a query returns: each is a family of its own.
SELECT msg_id AS root_msg_id, msg_id, state
  FROM ({messages}) AS message
