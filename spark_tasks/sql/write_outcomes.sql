-- As many rows as items were decided.
UPDATE job_item
   SET outcome = decided.outcome, new_state = decided.new_state
  FROM unnest(%(ids)s::bigint[], %(outcomes)s::text[], %(new_states)s::text[])
       AS decided (msg_id, outcome, new_state)
 WHERE job_item.job_id = %(job_id)s
   AND job_item.msg_id = decided.msg_id
   AND job_item.outcome IS NULL
