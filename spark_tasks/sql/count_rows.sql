-- One row: the number of the chosen rows in the live table, and their keys.
SELECT count(*), coalesce(array_agg({key})::text, '{{}}')
  FROM {live}
 WHERE {chosen}
