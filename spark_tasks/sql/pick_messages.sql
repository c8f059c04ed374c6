-- One row: the given messages that may still move, as arrays: ids, row versions, parents.
SELECT count(*),
       coalesce(array_agg(msg_id)::text, '{}'),
       coalesce(array_agg(xmin)::text, '{}'),
       coalesce((array_agg(parent_msg_id) FILTER (WHERE parent_msg_id IS NOT NULL))::text, '{}')
  FROM message
 WHERE msg_id = ANY (%(ids)s)
   AND state = ANY (%(final_states)s)
   AND coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s
