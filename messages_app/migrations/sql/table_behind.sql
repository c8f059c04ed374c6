-- The table of which a name is a view, or the relation of this name itself. On an attached hub, sizes and numbers
-- of rows are those of the hub's table; a view has none.
CREATE OR REPLACE FUNCTION table_behind(name text) RETURNS regclass
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN count(*) = 1 THEN max(refobjid)::regclass ELSE to_regclass(name) END
    FROM (SELECT DISTINCT refobjid
            FROM pg_rewrite
            JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = pg_rewrite.oid
           WHERE ev_class = to_regclass(name)
             AND ev_type = '1'
             AND refclassid = 'pg_class'::regclass
             AND refobjid <> ev_class
             -- The console's own table, from which the view of archived messages takes further values.
             AND refobjid IS DISTINCT FROM to_regclass('archive_extra')) AS behind
$$;
