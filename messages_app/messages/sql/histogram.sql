-- Messages by window of receipt and state: the number that matches the other conditions, and the number read, which is at
-- most the last value. OFFSET 0 prevents an index for the other conditions, which would be searched again for each
-- window. The console composes the names and conditions in braces.
SELECT slice, state, count(*) FILTER (WHERE is_found), count(*)
  FROM (SELECT windows.slice, {table}.state, ({others}) AS is_found
          FROM unnest(%s::int[], %s::timestamptz[], %s::timestamptz[]) AS windows (slice, start, stop)
         CROSS JOIN LATERAL (SELECT * FROM {table}
                              WHERE receive_timestamp >= windows.start AND receive_timestamp < windows.stop
                                AND {constant}
                             OFFSET 0) AS {table}
         LIMIT %s) AS looked_at
 GROUP BY slice, state
