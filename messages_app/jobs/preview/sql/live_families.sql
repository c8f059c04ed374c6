-- One row per live message of the given ids: whether it is final, and whether it is also old enough for the
-- archive. OFFSET 0 keeps the look-ups separate; for a join the planner might read a whole table.
SELECT chosen.id, member.is_final, member.is_final AND member.is_old
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT state = ANY (%(final_states)s) AS is_final,
                            coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s::timestamptz AS is_old
                       FROM message
                      WHERE msg_id = chosen.id
                     OFFSET 0) AS member
