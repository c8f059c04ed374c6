-- One row: the position in the history of messages, locked; none while another process reads the history.
SELECT read_to, safe_to, mark_to, mark_xid
  FROM webhook_position
 WHERE id = 1
   FOR UPDATE SKIP LOCKED
