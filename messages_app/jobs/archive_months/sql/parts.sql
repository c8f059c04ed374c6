-- One row per partition of the given tables, and per table that was detached from one of them: the table, the partition,
-- whether it is attached, its approximate number of rows (-1 if never analysed) and its bytes with indexes.
SELECT parent, relname, inhrelid IS NOT NULL, reltuples::bigint, pg_total_relation_size(pg_class.oid)
  FROM unnest(%(tables)s::text[]) AS parent
  JOIN pg_class ON relnamespace = current_schema::regnamespace
                AND relkind = 'r'
                AND (starts_with(relname, parent || '_') OR starts_with(relname, 'detached_' || parent || '_'))
  LEFT JOIN pg_inherits ON inhrelid = pg_class.oid AND inhparent = to_regclass(parent)
 WHERE inhrelid IS NOT NULL
    OR relname ~ ('^detached_' || parent || '_(before_)?[0-9]{4}_[0-9]{2}$')
 ORDER BY parent, relname
