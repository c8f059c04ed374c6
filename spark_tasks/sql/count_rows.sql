-- One row: how many rows of the live table there are of the chosen ones, and their keys.
SELECT count(*), coalesce(array_agg({key})::text, '{{}}')
  FROM {live}
 WHERE {chosen}
