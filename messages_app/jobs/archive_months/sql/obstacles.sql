-- One row per thing that a partitioned table would lose or change: the table, and what it is.
WITH chosen AS (
  SELECT name, to_regclass(name)::oid AS oid FROM unnest(%(tables)s::text[]) AS name
)
SELECT name, 'the trigger ' || tgname
  FROM chosen JOIN pg_trigger ON tgrelid = chosen.oid WHERE NOT tgisinternal
 UNION ALL
SELECT name, 'the constraint ' || conname
  FROM chosen JOIN pg_constraint ON chosen.oid IN (conrelid, confrelid)
 WHERE contype IN ('f', 'u', 'x', 'c')
   AND conname <> name || '_archived_at_check'
 UNION ALL
SELECT name, 'the unique index ' || indexrelid::regclass::text
  FROM chosen JOIN pg_index ON indrelid = chosen.oid WHERE indisunique AND NOT indisprimary
 UNION ALL
SELECT name, 'the view ' || ev_class::regclass::text
  FROM chosen
  JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = chosen.oid AND classid = 'pg_rewrite'::regclass
  JOIN pg_rewrite ON pg_rewrite.oid = objid
 WHERE ev_class <> to_regclass('archived_relative')
 GROUP BY name, ev_class
 UNION ALL
SELECT name, 'the publication ' || pubname
  FROM chosen JOIN pg_publication_rel ON prrelid = chosen.oid JOIN pg_publication ON pg_publication.oid = prpubid
 UNION ALL
SELECT name, 'row-level security'
  FROM chosen JOIN pg_class ON pg_class.oid = chosen.oid WHERE relrowsecurity
 UNION ALL
SELECT name, 'a table that inherits'
  FROM chosen JOIN pg_inherits ON chosen.oid IN (inhrelid, inhparent)
 UNION ALL
SELECT name, 'no primary key of one column'
  FROM chosen
 WHERE NOT EXISTS (SELECT FROM pg_index WHERE indrelid = chosen.oid AND indisprimary AND indnkeyatts = 1)
 ORDER BY 1, 2
