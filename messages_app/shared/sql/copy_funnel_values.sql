-- One row per funnel value that the new messages get from their originals. Values are read by the list of ids, because a
-- join with unnest() reads all of them: the planner cannot estimate how few messages it names. A hub without an index of
-- msg_id reads them once, not once a message.
INSERT INTO funnel (funnel_id, msg_id, funnel_value)
SELECT next_hub_id(), asked.msg_id, original.funnel_value
  FROM unnest(%(ids)s::bigint[], %(new_ids)s::bigint[]) AS asked (original_id, msg_id)
  JOIN funnel AS original ON original.msg_id = asked.original_id
 WHERE original.msg_id = ANY (%(ids)s::bigint[])
 ORDER BY original.funnel_id
