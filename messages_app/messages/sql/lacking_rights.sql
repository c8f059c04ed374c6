-- One row per privilege on a hub's table, which the owner of the console's views lacks: the statement that grants it.
-- Tables of the console's own need none.
SELECT format('GRANT %%s%%s ON %%s.%%I TO %%I', word, ' (' || nullif(locked_by, '') || ')', quote_ident(nspname),
              behind.relname, pg_get_userbyid(view.relowner))
  FROM unnest(%(tables)s::text[], %(words)s::text[], %(columns)s::text[])
       WITH ORDINALITY AS needed (name, word, locked_by, place)
  JOIN pg_class AS view ON view.oid = to_regclass(name)
  JOIN pg_class AS behind ON behind.oid = table_behind(name) AND behind.oid <> view.oid
  JOIN pg_namespace ON pg_namespace.oid = behind.relnamespace
 WHERE NOT CASE WHEN locked_by = '' THEN has_table_privilege(view.relowner, behind.oid, word)
                ELSE has_column_privilege(view.relowner, behind.oid, locked_by, word) END
 ORDER BY place
