-- One row per archived message of the given ids.
SELECT chosen.id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id FROM archived_relative WHERE msg_id = chosen.id LIMIT 1) AS archived
