-- The newest rows of an index of receipt, at most the last value of them, each with whether it passes the other
-- conditions. The names and conditions in braces are the console's own.
SELECT {table}.receive_timestamp, {table}.state, ({others}) AS is_found
  FROM (SELECT * FROM {table}
         WHERE {constant} AND {bounds}
         ORDER BY receive_timestamp DESC
         LIMIT %s) AS {table}
 ORDER BY {table}.receive_timestamp DESC
