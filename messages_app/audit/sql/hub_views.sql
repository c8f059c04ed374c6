-- One row for each of the given tables that is a view of a table of an attached hub, and for the table of values that the
-- hub's archive lacks, if the console has it: its name.
SELECT view.relname
  FROM pg_class AS view
  JOIN pg_class AS base ON base.oid = table_behind(view.relname) AND base.relnamespace <> view.relnamespace
 WHERE view.relnamespace = current_schema::regnamespace AND view.relkind = 'v' AND view.relname = ANY (%(tables)s)
 UNION ALL
SELECT %(extra)s
 WHERE to_regclass(%(extra)s) IS NOT NULL
