-- One row: how many responses the given requests have, looked up one by one.
SELECT coalesce(sum((SELECT count(*) FROM response WHERE response.req_id = request.id)), 0)::bigint
  FROM unnest(%(req_ids)s::bigint[]) AS request (id)
