-- One row per operation and state: how many of the newest calls in each of these states, up to the fence. None of them
-- is OK, as the index leaves those out.
SELECT newest.operation_name, one.state, count(*)
  FROM unnest(%(states)s::text[]) AS one (state)
 CROSS JOIN LATERAL (SELECT operation_name
                       FROM external_call
                      WHERE external_call.state = one.state AND NOT external_call.state = 'OK'
                      ORDER BY call_id DESC
                      LIMIT %(fence)s) AS newest
 GROUP BY 1, 2
