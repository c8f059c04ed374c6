-- One row per message of the given ids that is archived.
SELECT chosen.id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id FROM archived_relative WHERE msg_id = chosen.id LIMIT 1) AS archived
