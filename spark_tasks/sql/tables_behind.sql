-- One row per given name that is a view of a table of an attached hub: that table, quoted, with its schema, and the time
-- zone of its times.
SELECT name, format('%%I.%%I', nspname, relname), time_zone
  FROM unnest(%(tables)s::text[]) AS name
  JOIN pg_class ON pg_class.oid = table_behind(name) AND pg_class.oid <> to_regclass(name)
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 CROSS JOIN attachment
