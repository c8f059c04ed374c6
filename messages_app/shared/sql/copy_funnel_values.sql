-- One row per funnel value that the new messages get from their originals.
INSERT INTO funnel (funnel_id, msg_id, funnel_value)
SELECT next_hub_id(), asked.msg_id, funnel.funnel_value
  FROM unnest(%(ids)s::bigint[], %(new_ids)s::bigint[]) AS asked (original_id, msg_id)
  JOIN funnel ON funnel.msg_id = asked.original_id
 ORDER BY funnel.funnel_id
