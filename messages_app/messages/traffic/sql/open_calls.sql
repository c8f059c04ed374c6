-- One row per operation and state: the number of calls, among the newest of the state up to the fence. OK is not among
-- the states, because the index leaves it out.
SELECT newest.operation_name, one.state, count(*)
  FROM unnest(%(states)s::text[]) AS one (state)
 CROSS JOIN LATERAL (SELECT operation_name
                       FROM external_call
                      WHERE external_call.state = one.state AND NOT external_call.state = 'OK'
                      ORDER BY call_id DESC
                      LIMIT %(fence)s) AS newest
 GROUP BY 1, 2
