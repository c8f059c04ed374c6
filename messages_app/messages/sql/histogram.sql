-- Windows of receipt, each counted by state: those that pass the other conditions, and all that were looked at, of which
-- there are no more than the last value. OFFSET 0 keeps the other conditions from choosing the index: they would be
-- looked up anew for every window. The names and conditions in braces are the console's own.
SELECT slice, state, count(*) FILTER (WHERE is_found), count(*)
  FROM (SELECT windows.slice, {table}.state, ({others}) AS is_found
          FROM unnest(%s::int[], %s::timestamptz[], %s::timestamptz[]) AS windows (slice, start, stop)
         CROSS JOIN LATERAL (SELECT * FROM {table}
                              WHERE receive_timestamp >= windows.start AND receive_timestamp < windows.stop
                                AND {constant}
                             OFFSET 0) AS {table}
         LIMIT %s) AS looked_at
 GROUP BY slice, state
