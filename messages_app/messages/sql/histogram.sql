-- Windows of receipt, each counted by state. OFFSET 0 keeps the other filters from choosing the index: where
-- they would be looked up anew for every window. The names and conditions in braces are the console's own.
SELECT windows.slice, counted.state, sum(counted.messages)::bigint
  FROM unnest(%s::int[], %s::timestamptz[], %s::timestamptz[]) AS windows (slice, start, stop)
 CROSS JOIN LATERAL (
         SELECT {table}.state, count(*) AS messages
           FROM (SELECT * FROM {table}
                  WHERE receive_timestamp >= windows.start AND receive_timestamp < windows.stop
                    AND {constant}
                 OFFSET 0) AS {table}
          WHERE {others}
          GROUP BY {table}.state) AS counted
 GROUP BY windows.slice, counted.state
