-- One row per column of the tables behind the given views that its view does not show.
SELECT name, attname
  FROM unnest(%(tables)s::text[]) AS name
  JOIN pg_attribute ON attrelid = table_behind(name) AND attnum > 0 AND NOT attisdropped
 WHERE NOT EXISTS (SELECT
                     FROM pg_rewrite
                     JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
                    WHERE ev_class = to_regclass(name)
                      AND refclassid = 'pg_class'::regclass
                      AND refobjid = attrelid
                      AND refobjsubid = attnum)
 ORDER BY name, attnum
