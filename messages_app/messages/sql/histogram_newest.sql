-- The newest rows of an index of receipt, up to the last value, each with whether it matches the other conditions. The
-- console composes the names and conditions in braces.
SELECT {table}.receive_timestamp, {table}.state, ({others}) AS is_found
  FROM (SELECT * FROM {table}
         WHERE {constant} AND {bounds}
         ORDER BY receive_timestamp DESC
         LIMIT %s) AS {table}
 ORDER BY {table}.receive_timestamp DESC
