-- One row per message of the given ids that could be locked, with its current values; locked in the order of
-- ids. A row that another session holds is left out, not waited for.
SELECT msg_id, parent_msg_id, state,
       coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s AS is_old
  FROM message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
   FOR UPDATE SKIP LOCKED
