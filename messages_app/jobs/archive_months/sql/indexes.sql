-- One row per index of a table apart from its primary key: its name, and its definition from the method on. The
-- database has quoted the definition.
SELECT relname, substring(pg_get_indexdef(indexrelid) FROM ' (USING .*)$')
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid
 WHERE indrelid = to_regclass(%(table)s)
   AND NOT indisprimary
 ORDER BY relname
