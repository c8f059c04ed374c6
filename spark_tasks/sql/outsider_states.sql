-- One row per message of the given ids that is live: its state, and whether it may be archived with its family.
SELECT msg_id, state,
       state = ANY (%(final_states)s)
       AND coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s
       AND msg_id <= %(last_msg_id)s
  FROM message
 WHERE msg_id = ANY (%(ids)s)
