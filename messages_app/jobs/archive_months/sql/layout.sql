-- One row per given table that exists in the schema: its name, its kind, its owner, and whether this role may alter it.
SELECT name, relkind::text, pg_get_userbyid(relowner), pg_has_role(relowner, 'USAGE')
  FROM unnest(%(tables)s::text[]) AS name
  JOIN pg_class ON pg_class.oid = to_regclass(name)
