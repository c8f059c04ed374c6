-- One row: the names of the given tables that have pages. A search for a row would read all of these.
SELECT coalesce(array_agg(name ORDER BY name), '{}')
  FROM unnest(%(tables)s::text[]) AS name
 WHERE pg_relation_size(to_regclass(name)) > 0
